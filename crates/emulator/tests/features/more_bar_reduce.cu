// Barriers that count and combine a predicate, by PTX.
// launch: grid=2 block=96

extern "C" __global__ void more_bar_reduce(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned many, any, all;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(many) : "r"(in[i] & 5) : "memory");
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 9; bar.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q; }" : "=r"(any) : "r"(i) : "memory");
    asm volatile("{ .reg .pred p, q; setp.gt.s32 p, %1, -1; barrier.cta.red.and.pred q, 3, 96, p; selp.u32 %0, 1, 0, q; }" : "=r"(all) : "r"((int)i) : "memory");
    out[i] = many * 100 + any * 10 + all;
}
