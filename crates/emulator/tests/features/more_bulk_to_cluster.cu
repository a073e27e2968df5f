// A copy from the shared memory of one block to that of the other.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void more_bulk_to_cluster(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned own[64];
    __shared__ alignas(16) unsigned got[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(got), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    own[threadIdx.x] = in[i] + rank;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x == 0) {
        unsigned there, barrier_there;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(target), "r"(rank ^ 1));
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(there),
                     "r"((unsigned)__cvta_generic_to_shared(own)), "r"(barrier_there)
                     : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[threadIdx.x] * 2 + got[threadIdx.x ^ 1];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
