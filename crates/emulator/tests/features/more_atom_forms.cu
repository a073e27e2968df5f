// Atomic operations with an answer, by PTX, each thread at a place of its own.
// launch: grid=2 block=64

extern "C" __global__ void more_atom_forms(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned old, swapped, before, wrapped, first;
    unsigned long long wide;
    float sum;
    __shared__ int lowest[64];
    lowest[threadIdx.x] = 5;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(first) : "l"(out + i), "r"(in[i]) : "memory");
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(out + i), "r"(in[i] | (i & 1)), "r"(77) : "memory");
    asm volatile("atom.relaxed.sys.global.exch.b32 %0, [%1], %2;" : "=r"(swapped) : "l"(out + i), "r"(in[i + 1]) : "memory");
    asm volatile("atom.acquire.cta.global.max.s32 %0, [%1], %2;" : "=r"(before) : "l"(out + i), "r"((int)in[i]) : "memory");
    asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(wrapped) : "l"(out + 1024 + i), "r"(0) : "memory");
    asm volatile("atom.global.add.f32 %0, [%1], %2;" : "=f"(sum) : "l"(out + 1024 + i), "f"((float)(in[i] & 0xff)) : "memory");
    asm volatile("atom.exch.b64 %0, [%1], %2;" : "=l"(wide) : "l"(out + 2048 + 2 * i), "l"((unsigned long long)in[i] * in[i + 1]) : "memory");
    asm volatile("atom.global.or.b64 %0, [%1], %2;" : "=l"(wide) : "l"(out + 2048 + 2 * i), "l"(15ull << 40) : "memory");
    int least;
    asm volatile("atom.shared.min.s32 %0, [%1], %2;" : "=r"(least) : "r"((unsigned)__cvta_generic_to_shared(&lowest[threadIdx.x])), "r"((int)in[i]) : "memory");
    out[3072 + i] = first + old * 3 + swapped * 5 + before * 7 + wrapped + __float_as_uint(sum) + (unsigned)(wide >> 9) + (unsigned)(least + lowest[threadIdx.x]);
}
