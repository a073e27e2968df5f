// Mistake: only the first block of the cluster fills its array, and each reads the other's.
// launch: grid=2 block=32 cluster=2
// finds: unwritten
// line: 20 27
static __device__ unsigned cluster_unwritten_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_unwritten_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_unwritten_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_unwritten_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    if (cluster_unwritten_rank() == 0) values[threadIdx.x] = in[threadIdx.x];
    cluster_unwritten_cluster_sync();
    out[blockIdx.x * 32 + threadIdx.x] = cluster_unwritten_read(cluster_unwritten_map(&values[threadIdx.x], cluster_unwritten_rank() ^ 1));
    cluster_unwritten_cluster_sync();
}
