// The least and the greatest of three, unsigned, in words and in halves of words.
// launch: grid=2 block=64

extern "C" __global__ void vimin3_u(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __vimin3_u32(in[i], in[i + 1], in[i + 2]);
    out[i + 1024] = __vimax3_u32(in[i], in[i + 1], in[i + 2]);
    out[i + 2048] = __vimin3_u16x2(in[i], in[i + 1], in[i + 2]) ^ __vimin3_s16x2(in[i], in[i + 1], in[i + 2]);
}
