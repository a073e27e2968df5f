// Work that needs nothing of the others lies between arriving at the cluster's barrier and waiting for it.
// launch: grid=4 block=64 cluster=2
static __device__ unsigned cluster_split_barrier_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ unsigned cluster_split_barrier_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_split_barrier_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
static __device__ void cluster_split_barrier_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_split_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    unsigned sum = 0;
    for (int k = 0; k < 10; k++) sum = sum * 3 + in[threadIdx.x * 10 + k];
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    sum += cluster_split_barrier_read(cluster_split_barrier_map(&values[threadIdx.x ^ 9], cluster_split_barrier_rank() ^ 1));
    out[blockIdx.x * 64 + threadIdx.x] = sum;
    cluster_split_barrier_cluster_sync();
}
