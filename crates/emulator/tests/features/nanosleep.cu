// A thread sleeps a while.
// launch: grid=2 block=64
// kernel: nanosleep_kernel

extern "C" __global__ void nanosleep_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __nanosleep(20 + in[i] % 64);
    out[i] = in[i] + 1;
}
