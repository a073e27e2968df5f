// Atomic operations without an answer, in every type and for every scope, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_red_forms(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned bits;
    if (threadIdx.x == 0) bits = 0;
    __syncthreads();
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.relaxed.gpu.global.min.s32 [%0+4], %1;" ::"l"(out), "r"((int)in[i]) : "memory");
    asm volatile("red.release.sys.global.max.u32 [%0+8], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.and.b32 [%0+12], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.global.xor.b32 [%0+16], %1;" ::"l"(out), "r"(in[i]) : "memory");
    asm volatile("red.global.inc.u32 [%0+20], %1;" ::"l"(out), "r"(9) : "memory");
    asm volatile("red.global.dec.u32 [%0+24], %1;" ::"l"(out), "r"(10) : "memory");
    asm volatile("red.global.add.f32 [%0+28], %1;" ::"l"(out), "f"((float)(in[i] & 0xff)) : "memory");
    asm volatile("red.global.add.u64 [%0+32], %1;" ::"l"(out), "l"((unsigned long long)in[i] << 8) : "memory");
    asm volatile("red.global.add.f64 [%0+40], %1;" ::"l"(out), "d"((double)in[i]) : "memory");
    asm volatile("red.global.max.s64 [%0+48], %1;" ::"l"(out), "l"((long long)(int)in[i] << 20) : "memory");
    asm volatile("red.relaxed.cta.shared::cta.or.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&bits)), "r"(in[i] & 0x10101) : "memory");
    asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(out + 32 + i % 4 * 2), "f"((float)(in[i] & 15)), "f"((float)i) : "memory");
    __syncthreads();
    out[64 + i] = bits;
}
