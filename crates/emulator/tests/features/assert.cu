// An assertion that holds is no more than its condition; assert needs no header.
// launch: grid=2 block=64
// kernel: assert_kernel

extern "C" __global__ void assert_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = in[i] % 1000;
    assert(value < 1000);
    assert(i < gridDim.x * blockDim.x && "a thread outside the grid");
    out[i] = value;
}
