// Values go round the cluster, between two buffers, with one barrier of the cluster a step.
// launch: grid=4 block=32 cluster=4
static __device__ unsigned cluster_pass_around_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_pass_around_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_pass_around_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ unsigned cluster_pass_around_read(unsigned there) {
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
    return value;
}
extern "C" __global__ void cluster_pass_around(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][32];
    unsigned value = in[blockIdx.x * 32 + threadIdx.x];
    for (int step = 0; step < 6; step++) {
        values[step & 1][threadIdx.x] = value;
        cluster_pass_around_cluster_sync();
        value = value * 3 + cluster_pass_around_read(cluster_pass_around_map(&values[step & 1][31 - threadIdx.x], (cluster_pass_around_rank() + 1) % 4));
    }
    out[blockIdx.x * 32 + threadIdx.x] = value;
    cluster_pass_around_cluster_sync();
}
