// Mistake: a neighbour's shared memory is read after a barrier of the block, which the neighbour knows nothing of.
// launch: grid=2 block=64 cluster=2
// finds: race-between-blocks unwritten
// line: 20 26 28
static __device__ unsigned cluster_without_barrier_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_without_barrier_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_without_barrier_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_without_barrier_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    cluster_without_barrier_cluster_sync();
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_without_barrier_read(cluster_without_barrier_map(&values[63 - threadIdx.x], cluster_without_barrier_rank() ^ 1));
    cluster_without_barrier_cluster_sync();
}
