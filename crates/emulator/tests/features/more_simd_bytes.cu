// Sums, differences and comparisons in each byte or half of a word.
// launch: grid=2 block=64

extern "C" __global__ void more_simd_bytes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1];
    out[i] = __vadd2(a, b) ^ (__vsub4(a, b) >> 1) ^ (__vaddss2(a, b) << 1) ^ (__vsubus4(a, b) >> 2);
    out[i + 1024] = __vabs2(a & 0x7fff7fff) ^ __vabsdiffu4(a, b) ^ (__vavgu4(a, b) << 3) ^ (__vhaddu2(a, b) >> 3);
    out[i + 2048] = __vcmpeq4(a & 0x01010101, b & 0x01010101) ^ __vcmpgts2(a, b) ^ __vsetltu4(a, b) ^ (__vsads4(a, b) << 8) ^ __vneg2(a);
    out[i + 3072] = __sad((int)a, (int)b, 5u) ^ __usad(a, b, 7u) ^ (unsigned)__hadd((int)a, (int)b) ^ __urhadd(a, b);
}
