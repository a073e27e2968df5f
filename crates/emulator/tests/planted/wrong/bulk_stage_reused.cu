// Mistake: thread 0 starts the next copy into the stage as soon as it has read its own part.
// launch: grid=1 block=64
// finds: async-race
// line: 12 13 29 32
static __device__ void bulk_stage_reused_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_reused_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_reused_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_reused_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_reused(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier[4];
    if (threadIdx.x < 4) bulk_stage_reused_init(&barrier[threadIdx.x], 1);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned n = 0; n < 4; n++) {
        if (threadIdx.x == 0) {
            bulk_stage_reused_expect(&barrier[n], 256);
            bulk_stage_reused_load(tile, in + n * 64, 256, &barrier[n]);
        }
        bulk_stage_reused_wait(&barrier[n], 0);
        sum = sum * 3 + tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
