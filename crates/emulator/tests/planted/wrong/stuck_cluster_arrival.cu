// Mistake: both blocks arrive at the first block's barrier, and the second one waits at its own.
// launch: grid=2 block=32 cluster=2
// finds: stuck
// line: 17 18 19 26
static __device__ void stuck_cluster_arrival_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void stuck_cluster_arrival_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned stuck_cluster_arrival_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
static __device__ void stuck_cluster_arrival_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void stuck_cluster_arrival(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) stuck_cluster_arrival_init(&barrier, 64);
    stuck_cluster_arrival_cluster_sync();
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(stuck_cluster_arrival_map(&barrier, 0)) : "memory");
    stuck_cluster_arrival_wait(&barrier, 0);
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
    stuck_cluster_arrival_cluster_sync();
}
