// Sums of products of four bytes, signed and unsigned.
// launch: grid=2 block=64

extern "C" __global__ void dp4a(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = __dp4a((int)in[i], (int)in[i + 1], -5);
    unsigned products = __dp4a(in[i], in[i + 1], 7u);
    out[i] = (unsigned)sum ^ (products << 8);
    out[i + 1024] = (unsigned)__dp2a_lo((int)in[i], (int)in[i + 1], 3) + __dp2a_hi(in[i], in[i + 1], 1u);
}
