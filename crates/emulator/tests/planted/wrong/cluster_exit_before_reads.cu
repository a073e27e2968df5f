// Mistake: a block may end while its neighbour still reads its shared memory.
// launch: grid=2 block=64 cluster=2
// finds: out-of-bounds race-between-blocks async-race
// line: 20 27 28
static __device__ unsigned cluster_exit_before_reads_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_exit_before_reads_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_exit_before_reads_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_exit_before_reads_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_exit_before_reads(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    cluster_exit_before_reads_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_exit_before_reads_read(cluster_exit_before_reads_map(&values[63 - threadIdx.x], cluster_exit_before_reads_rank() ^ 1));
}
