// The 64-bit clock never goes backward within a thread.
// launch: grid=2 block=64
// kernel: clock64_kernel

extern "C" __global__ void clock64_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long start = clock64();
    unsigned value = in[i] * 3;
    __syncthreads();
    long long end = clock64();
    out[i] = value ^ (end >= start);
}
