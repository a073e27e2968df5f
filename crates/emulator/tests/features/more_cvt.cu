// Conversions by PTX: kept within the range, in each way of rounding, of pairs.
// launch: grid=2 block=64

extern "C" __global__ void more_cvt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int wide = (int)in[i], rounded, down, small;
    unsigned bytes, half, pair, single, zero;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 64.0f;
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(rounded) : "f"(value * 1.0e8f));
    asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(down) : "f"(value));
    asm("cvt.rni.u32.f32 %0, %1;" : "=r"(zero) : "f"(-fabsf(value)));
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(small) : "r"(wide >> (i % 32)));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(wide >> 20), "r"(wide >> 24), "r"(in[i + 1]));
    asm("{ .reg .f16 h; cvt.rn.f16.f32 h, %1; mov.b32 %0, {h, h}; }" : "=r"(half) : "f"(value));
    asm("cvt.rz.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(value), "f"((float)(in[i] >> 20)));
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(single) : "f"((float)(in[i] >> 8)));
    out[i] = (unsigned)rounded ^ ((unsigned)down * 3) ^ zero;
    out[i + 1024] = (unsigned)small + bytes;
    out[i + 2048] = half ^ (pair * 3);
    // The low bits that TF32 has not are left open.
    out[i + 3072] = single & 0xffffe000;
}
