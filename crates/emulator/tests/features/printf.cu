// Text from a kernel, by a function that needs no header.
// launch: grid=2 block=64
// kernel: printf_kernel

extern "C" __global__ void printf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 2) printf("%u %d %s %.2f %llx\n", i, -5, "words", 2.5, 1ull << 40);
    out[i] = in[i] + 1;
}
