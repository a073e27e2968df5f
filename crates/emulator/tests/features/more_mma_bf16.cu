// Products of matrices of 16-bit floats with 8 bits of mantissa.
// launch: grid=2 block=32

extern "C" __global__ void more_mma_bf16(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x, a[4], b[2];
    const unsigned *from = in + 128 * blockIdx.x + lane;
    for (int k = 0; k < 4; ++k)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(a[k]) : "f"((float)(from[k] & 31)), "f"(-(float)(from[k] >> 28)));
    for (int k = 0; k < 2; ++k)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(b[k]) : "f"((float)(from[k + 9] & 7)), "f"((float)(from[k + 9] >> 30)));
    float d[4] = {0.0f, 1.0f, -2.0f, (float)lane};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 4; ++k) out[128 * blockIdx.x + 4 * lane + k] = __float_as_uint(d[k]);
}
