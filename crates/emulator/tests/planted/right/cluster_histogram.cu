// Bins are spread over the shared memory of the cluster's blocks, and every thread adds to any of them by atomics.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_histogram_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_histogram_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
extern "C" __global__ void cluster_histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[32];
    if (threadIdx.x < 32) bins[threadIdx.x] = 0;
    cluster_histogram_cluster_sync();
    for (unsigned i = blockIdx.x * 64 + threadIdx.x; i < 1024; i += 128) {
        const unsigned bin = in[i] >> 26;
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(cluster_histogram_map(&bins[bin % 32], bin / 32)) : "memory");
    }
    cluster_histogram_cluster_sync();
    if (threadIdx.x < 32) out[blockIdx.x * 32 + threadIdx.x] = bins[threadIdx.x];
}
