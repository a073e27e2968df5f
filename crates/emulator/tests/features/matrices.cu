// === more_ldmatrix
// Matrices of 8 by 8 halves from shared memory, plain and turned around.
// launch: grid=2 block=32

extern "C" __global__ void more_ldmatrix(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned words[128];
    for (unsigned k = 0; k < 4; ++k) words[threadIdx.x + 32 * k] = in[threadIdx.x + 32 * k + 128 * blockIdx.x];
    __syncwarp();
    unsigned place = (unsigned)__cvta_generic_to_shared(&words[4 * ((threadIdx.x * 5) % 32)]), a, b, c, d, e, f, g;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(e), "=r"(f) : "r"(place) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%0}, [%1];" : "=r"(g) : "r"(place) : "memory");
    out[128 * blockIdx.x + threadIdx.x] = a ^ (b * 3);
    out[128 * blockIdx.x + threadIdx.x + 32] = c ^ (d * 3);
    out[128 * blockIdx.x + threadIdx.x + 64] = e ^ (f * 3);
    out[128 * blockIdx.x + threadIdx.x + 96] = g;
}

// === more_mma_bf16
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

// === more_mma_f16
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

// === more_mma_s8
// Products of matrices of signed bytes with sums of 32 bits.
// launch: grid=2 block=32

extern "C" __global__ void more_mma_s8(const unsigned *in, unsigned *out) {
    unsigned lane = threadIdx.x;
    const unsigned *a = in + 128 * blockIdx.x + lane * 4, *b = in + 1000 + 2 * lane;
    int d[4] = {(int)lane, -1, 0, 7};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    for (int k = 0; k < 4; ++k) out[128 * blockIdx.x + 4 * lane + k] = (unsigned)d[k];
}

// === more_stmatrix
// Matrices of 8 by 8 halves to shared memory, plain and turned around.
// launch: grid=2 block=32

extern "C" __global__ void more_stmatrix(const unsigned *in, unsigned *out) {
    __shared__ alignas(16) unsigned words[192];
    const unsigned *from = in + 128 * blockIdx.x + threadIdx.x;
    unsigned place = (unsigned)__cvta_generic_to_shared(&words[4 * threadIdx.x]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(place), "r"(from[0]), "r"(from[32]), "r"(from[64]), "r"(from[96]) : "memory");
    unsigned second = (unsigned)__cvta_generic_to_shared(&words[128 + 4 * (threadIdx.x % 16)]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(second), "r"(from[5]), "r"(from[70]) : "memory");
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 192; k += 32) out[192 * blockIdx.x + k] = words[k];
}
