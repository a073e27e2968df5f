// Bits in reverse order, of 32 and of 64.
// launch: grid=2 block=64

extern "C" __global__ void brev(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long wide = ((unsigned long long)in[i] << 32) | in[i + 1];
    out[i] = __brev(in[i]);
    out[i + 1024] = (unsigned)(__brevll(wide) >> (i % 2 * 32));
}
