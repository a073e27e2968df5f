// Each block writes into its neighbour's shared memory; the neighbour reads after the barrier of the cluster.
// launch: grid=4 block=64 cluster=4
static __device__ unsigned cluster_remote_write_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_remote_write_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_remote_write_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_remote_write_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_remote_write(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    cluster_remote_write_cluster_sync();
    cluster_remote_write_write(cluster_remote_write_map(&values[threadIdx.x], (cluster_remote_write_rank() + 1) % 4), in[blockIdx.x * 64 + threadIdx.x]);
    cluster_remote_write_cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x] + 1;
}
