// Bytes picked from two words by a selector.
// launch: grid=2 block=64

extern "C" __global__ void byte_perm(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __byte_perm(in[i], in[i + 1], in[i + 2] & 0x7777);
    out[i + 1024] = __byte_perm(in[i], 0, 0x0123) + __byte_perm(in[i], in[i + 9], 0x5410);
}
