// One tile for both blocks of a cluster.
// launch: grid=2 block=64 cluster=2
// arguments: tensor:f32,64,64,8,8 out
// arch: 90a

struct alignas(64) more_tensor_multicast_map { unsigned long long words[16]; };

extern "C" __global__ void more_tensor_multicast(const __grid_constant__ more_tensor_multicast_map map, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned tile[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), rank, done = 0;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.mbarrier_init.release.cluster;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\n barrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (rank == 1 && threadIdx.x == 0)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(12), "r"(5), "r"(place), "h"((unsigned short)0b11)
                     : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = tile[63 - threadIdx.x] + rank;
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
