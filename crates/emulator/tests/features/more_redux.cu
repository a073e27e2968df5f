// Reductions over a warp's lanes by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_redux(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum, least, greatest, both, any, odd;
    int lowest, highest;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(in[i]));
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(least) : "r"(in[i]), "r"(~0u));
    asm volatile("redux.sync.max.u32 %0, %1, %2;" : "=r"(greatest) : "r"(in[i]), "r"(~0u));
    asm volatile("redux.sync.min.s32 %0, %1, %2;" : "=r"(lowest) : "r"((int)in[i]), "r"(~0u));
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(highest) : "r"((int)in[i]), "r"(~0u));
    asm volatile("redux.sync.and.b32 %0, %1, %2;" : "=r"(both) : "r"(in[i] | 0xf0f0f), "r"(~0u));
    asm volatile("redux.sync.or.b32 %0, %1, %2;" : "=r"(any) : "r"(in[i] & 0x1001), "r"(~0u));
    asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(odd) : "r"(in[i]), "r"(~0u));
    out[i] = sum ^ (least * 3) ^ (greatest * 5);
    out[i + 1024] = (unsigned)lowest ^ ((unsigned)highest * 3);
    out[i + 2048] = both ^ (any << 7) ^ (odd * 5);
}
