// Stores to another block's shared memory that its barrier counts.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void more_store_async(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned got[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(&got[threadIdx.x]), rank, done = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(target) : "r"(rank ^ 1));
    unsigned barrier_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(target), "r"(in[i] + rank), "r"(barrier_there) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[threadIdx.x ^ 9];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
