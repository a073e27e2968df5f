// Leading zeros of 64 bits.
// launch: grid=2 block=64

extern "C" __global__ void clzll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    long long value = (long long)(((unsigned long long)in[i] << 16) >> (i % 64));
    out[i] = __clzll(value) + 100 * __clzll(-value) + 10000 * __clzll(0);
}
