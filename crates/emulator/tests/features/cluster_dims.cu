// A kernel that fixes the size of its clusters.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_dims(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rank, count;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    out[i] = in[i] + rank * 100 + count * 10000;
}
