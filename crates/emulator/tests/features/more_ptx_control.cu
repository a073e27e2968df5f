// Registers, predicates, jumps and loops within one asm.
// launch: grid=2 block=64

extern "C" __global__ void more_ptx_control(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned steps, clamped = in[i], sum, carry;
    asm("{\n\t.reg .pred more;\n\t.reg .u32 left;\n\tmov.u32 %0, 0;\n\tmov.u32 left, %1;\n"
        "loop:\n\tadd.u32 %0, %0, left;\n\tsub.u32 left, left, 1;\n\tsetp.gt.s32 more, left, 0;\n\t@more bra loop;\n\t}"
        : "=&r"(steps)
        : "r"(in[i] % 7));
    asm("{ .reg .pred p, q; setp.hi.u32 p, %0, 1000; setp.lt.and.u32 q, %0, 5, !p; @p mov.u32 %0, 1000; @q mov.u32 %0, 5; @!q add.u32 %0, %0, 1; }" : "+r"(clamped));
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, 0, 0;" : "=r"(sum), "=r"(carry) : "r"(in[i]), "r"(in[i + 1]));
    unsigned low, high;
    asm("{ .reg .u64 wide; mul.wide.u32 wide, %2, %3; mov.b64 {%0, %1}, wide; }" : "=r"(low), "=r"(high) : "r"(in[i]), "r"(in[i + 1]));
    int mad, slct;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(mad) : "r"((int)in[i]), "r"((int)in[i + 1]), "n"(-3));
    asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(slct) : "r"(mad), "r"(8), "r"((int)in[i]));
    out[i] = steps * 3 + clamped;
    out[i + 1024] = sum + carry * 5;
    out[i + 2048] = low ^ high;
    out[i + 3072] = (unsigned)slct;
}
