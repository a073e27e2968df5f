// Bytes picked in each mode of prmt.
// launch: grid=2 block=64

extern "C" __global__ void more_prmt(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned plain, forward, backward, copies, from_left, from_right, halves, signs;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(plain) : "r"(in[i]), "r"(in[i + 1]), "r"(in[i + 2] & 0x7777));
    asm("prmt.b32 %0, %1, %2, 0xba98;" : "=r"(signs) : "r"(in[i]), "r"(in[i + 1]));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(forward) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(backward) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(copies) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(from_left) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(from_right) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(halves) : "r"(in[i]), "r"(in[i + 1]), "r"(i & 3));
    out[i] = plain ^ (forward * 3);
    out[i + 1024] = backward ^ (copies * 3);
    out[i + 2048] = from_left ^ (from_right * 3);
    out[i + 3072] = halves ^ (signs * 3);
}
