// The place of the lowest bit that is set, in 32 and 64 bits; 0 where none is.
// launch: grid=2 block=64
// kernel: ffsll_kernel

extern "C" __global__ void ffsll_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long value = (long long)in[i] << (i % 40);
    out[i] = __ffsll(value) + 100 * __ffs((int)in[i] & -256) + 10000 * __ffsll(0);
}
