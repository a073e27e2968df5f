// Fields of bits taken out, put in, searched and shifted by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_bit_fields(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned field, put, place, shifted, high, reversed;
    int with_sign;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(in[i]), "r"(i % 40), "r"(9));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(with_sign) : "r"((int)in[i]), "r"(i % 32), "r"(i % 13));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(put) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 32), "r"(11));
    asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(in[i] >> (i % 32)));
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(shifted) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 40));
    asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(high) : "r"(in[i]), "r"(in[i + 1]), "r"(i % 40));
    asm("brev.b32 %0, %1;\n\tpopc.b32 %0, %0;" : "=r"(reversed) : "r"(in[i]));
    out[i] = field ^ (unsigned)with_sign ^ (put * 3);
    out[i + 1024] = place + shifted + high * 3 + reversed;
}
