// Mistake: arriving relaxed at the cluster's barrier publishes nothing.
// launch: grid=2 block=64 cluster=2
// finds: race-between-blocks
// line: 20 25 27
static __device__ unsigned cluster_relaxed_arrival_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_relaxed_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_relaxed_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_relaxed_arrival_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_relaxed_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    out[blockIdx.x * 64 + threadIdx.x] = cluster_relaxed_arrival_read(cluster_relaxed_arrival_map(&values[63 - threadIdx.x], cluster_relaxed_arrival_rank() ^ 1));
    cluster_relaxed_arrival_cluster_sync();
}
