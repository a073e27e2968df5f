// Leading zeros of negative numbers, of zero and of others.
// launch: grid=2 block=64

extern "C" __global__ void clz_neg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)in[i];
    out[i] = __clz(value) + 100 * __clz(-value) + 10000 * __clz(0) + 1000000 * __clz(value >> (i % 32));
}
