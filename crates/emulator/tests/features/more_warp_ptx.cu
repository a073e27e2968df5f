// Votes and shuffles by PTX.
// launch: grid=2 block=64

extern "C" __global__ void more_warp_ptx(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes, value, inside, same, active = __activemask();
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(votes) : "r"(in[i] & 2));
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 3, 0, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(value), "=r"(inside) : "r"(in[i]));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(in[i] & 3));
    unsigned turned, half;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(turned) : "r"(in[i]), "r"(threadIdx.x / 32 + 4));
    asm volatile("shfl.sync.idx.b32 %0, %1, 5, 0x181f, 0xffffffff;" : "=r"(half) : "r"(in[i]));
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    out[i] = votes ^ (value * 3);
    out[i + 1024] = inside + same * 5 + (active >> threadIdx.x % 32 & 1);
    out[i + 2048] = turned ^ (half * 3);
}
