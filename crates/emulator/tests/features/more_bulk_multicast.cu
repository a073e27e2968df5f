// One copy that fills the shared memory of both blocks of a cluster.
// launch: grid=4 block=64 cluster=2
// arch: 90a

extern "C" __global__ void __cluster_dims__(2) more_bulk_multicast(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned target = (unsigned)__cvta_generic_to_shared(values), place = (unsigned)__cvta_generic_to_shared(&barrier), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.aligned;\n barrier.cluster.wait.aligned;" ::: "memory");
    // Each block sends its half to both.
    if (threadIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                         target + 128 * rank),
                     "l"(in + 32 * blockIdx.x), "r"(128), "r"(place), "h"((unsigned short)3)
                     : "memory");
    while (!done)
        asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n selp.b32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(place)
                     : "memory");
    out[i] = values[threadIdx.x] * 3 + values[63 - threadIdx.x];
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
