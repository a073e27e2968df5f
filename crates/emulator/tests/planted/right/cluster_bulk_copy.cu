// A bulk copy from one block's shared memory to the other's, which counts the bytes at the receiver's barrier.
// launch: grid=2 block=64 cluster=2
static __device__ void cluster_bulk_copy_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void cluster_bulk_copy_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void cluster_bulk_copy_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
static __device__ void cluster_bulk_copy_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ unsigned cluster_bulk_copy_map(const void *shared, unsigned rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(shared)), "r"(rank));
    return there;
}
extern "C" __global__ void cluster_bulk_copy(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned mine[64], received[64];
    __shared__ unsigned long long barrier;
    const unsigned other = blockIdx.x ^ 1;
    mine[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 7;
    asm volatile("fence.proxy.async;" ::: "memory");
    if (threadIdx.x == 0) {
        cluster_bulk_copy_init(&barrier, 1);
        cluster_bulk_copy_expect(&barrier, 256);
    }
    cluster_bulk_copy_cluster_sync();
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(cluster_bulk_copy_map(received, other)),
                     "r"((unsigned)__cvta_generic_to_shared(mine)), "r"(cluster_bulk_copy_map(&barrier, other)) : "memory");
    cluster_bulk_copy_wait(&barrier, 0);
    out[blockIdx.x * 64 + threadIdx.x] = received[63 - threadIdx.x];
    cluster_bulk_copy_cluster_sync();
}
