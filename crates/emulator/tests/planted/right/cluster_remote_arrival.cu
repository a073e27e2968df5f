// A block writes into the other's shared memory and arrives at a barrier there, with release and acquire of the cluster.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_remote_arrival_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ unsigned cluster_remote_arrival_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_remote_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_remote_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void cluster_remote_arrival_write(unsigned there, unsigned value) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
}
extern "C" __global__ void cluster_remote_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    const unsigned other = cluster_remote_arrival_rank() ^ 1;
    if (threadIdx.x == 0) cluster_remote_arrival_init(&barrier, 64);
    cluster_remote_arrival_cluster_sync();
    cluster_remote_arrival_write(cluster_remote_arrival_map(&values[threadIdx.x], other), in[blockIdx.x * 64 + threadIdx.x]);
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_remote_arrival_map(&barrier, other)) : "memory");
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x] * 3;
    cluster_remote_arrival_cluster_sync();
}
