// Mistake: one buffer and one barrier of the cluster a step: the neighbour may still read when the next value is stored.
// launch: grid=2 block=32 cluster=2
// finds: race-between-blocks
// line: 20 27 29
static __device__ unsigned cluster_overwritten_early_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_overwritten_early_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_overwritten_early_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_overwritten_early_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_overwritten_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 0; step < 4; step++) {
        values[threadIdx.x] = value;
        cluster_overwritten_early_cluster_sync();
        value = value * 3 + cluster_overwritten_early_read(cluster_overwritten_early_map(&values[threadIdx.x], cluster_overwritten_early_rank() ^ 1));
    }
    out[blockIdx.x * 32 + threadIdx.x] = value;
    cluster_overwritten_early_cluster_sync();
}
