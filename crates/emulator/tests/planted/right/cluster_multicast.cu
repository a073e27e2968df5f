// One bulk copy fills the shared memory of both blocks; each waits at its own barrier for its own bytes.
// launch: grid=4 block=64 cluster=2
// arch: 90a
static __device__ void cluster_multicast_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void cluster_multicast_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void cluster_multicast_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ unsigned cluster_multicast_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_multicast_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_multicast(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) {
        cluster_multicast_init(&barrier, 1);
        cluster_multicast_expect(&barrier, 256);
    }
    cluster_multicast_cluster_sync();
    if (threadIdx.x == 0 && cluster_multicast_rank() == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 256, [%2], %3;"
                     ::"r"((unsigned)__cvta_generic_to_shared(tile)), "l"(__cvta_generic_to_global(in + blockIdx.x * 64)),
                     "r"((unsigned)__cvta_generic_to_shared(&barrier)), "h"((unsigned short)3) : "memory");
    cluster_multicast_wait(&barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x] + cluster_multicast_rank();
    cluster_multicast_cluster_sync();
}
