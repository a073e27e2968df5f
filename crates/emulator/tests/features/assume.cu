// __builtin_assume promises a fact and computes nothing.
// launch: grid=2 block=64
// kernel: assume_kernel

extern "C" __global__ void assume_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)(in[i] & 0x7fffffff);
    __builtin_assume(value >= 0);
    out[i] = (unsigned)(value / 8 + value % 7);
}
