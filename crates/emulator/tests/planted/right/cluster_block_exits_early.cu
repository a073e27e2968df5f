// The reading block may leave at once after reading; the one that is read stays until the reader has arrived.
// launch: grid=2 block=32 cluster=2
static __device__ unsigned cluster_block_exits_early_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_block_exits_early_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_block_exits_early_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_block_exits_early_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_block_exits_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    cluster_block_exits_early_cluster_sync();
    if (cluster_block_exits_early_rank() == 1) out[threadIdx.x] = cluster_block_exits_early_read(cluster_block_exits_early_map(&values[31 - threadIdx.x], 0));
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    if (cluster_block_exits_early_rank() == 0) asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
