// Minima and maxima of three and of sums, in each half of a word.
// launch: grid=2 block=64

extern "C" __global__ void more_dpx_halves(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1], c = in[i + 2], small = __vsub2(a & 0x3fff3fff, 0x20002000), less = __vsub2(b & 0x3fff3fff, 0x20002000);
    out[i] = __vimin3_s16x2(a, b, c) ^ (__vimax3_s16x2(a, b, c) >> 1) ^ (__vimin3_s16x2_relu(a, b, c) << 1);
    out[i + 1024] = __vimax3_u16x2(a, b, c) ^ __vimax_s16x2_relu(a, b) ^ (__vimin_s16x2_relu(a, b) >> 1);
    out[i + 2048] = __viaddmax_s16x2_relu(small, less, c) ^ (__viaddmax_u16x2(a & 0x7fff7fff, b & 0x7fff7fff, c) >> 1);
    bool high, low;
    unsigned least = __vibmin_s16x2(a, b, &high, &low), picked = high + 2 * low;
    out[i + 3072] = least + 3 * __vibmax_u16x2(b, c, &high, &low);
    out[i + 3200] = picked + 4 * high + 8 * low;
}
