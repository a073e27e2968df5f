// Threads of one block arrive at the barrier of another.
// launch: grid=4 block=32 cluster=2

extern "C" __global__ void more_remote_arrive(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned got[32];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(&got[threadIdx.x]), rank, done = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    unsigned there, barrier_there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(target), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier_there) : "r"(place), "r"(rank ^ 1));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(in[i] * 3) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier_there) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = got[31 - threadIdx.x];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
