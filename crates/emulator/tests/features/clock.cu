// The clock never goes backward within a thread, but for a wrap of 32 bits.
// launch: grid=2 block=64
// kernel: clock_kernel

extern "C" __global__ void clock_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    clock_t start = clock();
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum += in[i + k];
    clock_t end = clock();
    out[i] = sum + ((int)(end - start) >= 0);
}
