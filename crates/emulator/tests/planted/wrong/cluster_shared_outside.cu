// Mistake: the neighbour's array is read behind its end, where its shared memory ends too.
// launch: grid=2 block=64 cluster=2
// finds: out-of-bounds
// line: 20 27
static __device__ unsigned cluster_shared_outside_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_shared_outside_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_shared_outside_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_shared_outside_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_shared_outside(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    cluster_shared_outside_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = cluster_shared_outside_read(cluster_shared_outside_map(values, cluster_shared_outside_rank() ^ 1) + 4 * threadIdx.x + 1024);
    cluster_shared_outside_cluster_sync();
}
