// The lesser of a sum and a number, in each half of a word.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_s16x2(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = __vsub2(in[i] & 0x3fff3fff, 0x20002000), b = __vsub2(in[i + 1] & 0x3fff3fff, 0x20002000), c = in[i + 2];
    out[i] = __viaddmin_s16x2(a, b, c) ^ (__viaddmin_s16x2_relu(a, b, c) >> 1);
    out[i + 1024] = __viaddmax_s16x2(a, b, c);
    out[i + 2048] = __viaddmin_u16x2(in[i] & 0x7fff7fff, in[i + 1] & 0x7fff7fff, c);
}
