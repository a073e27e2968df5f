// Products of matrices of halves with sums of floats, by PTX.
// launch: grid=2 block=32

__device__ unsigned more_mma_f16_pair(unsigned bits) {
    unsigned pair;
    asm("{ .reg .f16 a, b; cvt.rn.f16.f32 a, %1; cvt.rn.f16.f32 b, %2; mov.b32 %0, {a, b}; }"
        : "=r"(pair)
        : "f"((float)(int)(bits & 15) - 8.0f), "f"((float)(int)(bits >> 4 & 15) - 4.0f));
    return pair;
}

extern "C" __global__ void more_mma_f16(const unsigned *in, unsigned *out) {
    unsigned a[4], b[2], lane = threadIdx.x;
    for (int k = 0; k < 4; ++k) a[k] = more_mma_f16_pair(in[lane * 4 + k + blockIdx.x] >> 3);
    for (int k = 0; k < 2; ++k) b[k] = more_mma_f16_pair(in[lane * 2 + k + 200] >> 7);
    float c[4] = {1.0f, (float)lane, -3.0f, 0.5f}, d[4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
    for (int k = 0; k < 4; ++k) out[128 * blockIdx.x + 4 * lane + k] = __float_as_uint(d[k]);
}
