// The place of a thread in its warp, by PTX.
// launch: grid=2 block=64

extern "C" __global__ void ptx_laneid(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane, below, equal, from;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %lanemask_eq;" : "=r"(equal));
    asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(from));
    out[i] = in[i] + lane + (below ^ (from * 3)) + equal;
}
