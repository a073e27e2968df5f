// Any function of three bits, by its table.
// launch: grid=2 block=64

extern "C" __global__ void more_lop3(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned odd, most, picked, any;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(odd) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(most) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]));
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(picked) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2]), "n"((0xf0 & 0xcc) | (~0xf0 & 0xaa & 0xff)));
    asm("{ .reg .pred p, q; setp.eq.u32 q, 1, 2; lop3.or.b32 %0|p, %1, %2, 0, 0xc0, q; @p add.u32 %0, %0, 1; }" : "=r"(any) : "r"(in[i] & 7), "r"(in[i + 1] & 7));
    out[i] = odd ^ (most * 3);
    out[i + 1024] = picked + any;
}
