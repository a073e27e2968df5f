// Mistake: no proxy fence between the plain stores to a stage and the next copy into it, which a barrier does not replace.
// launch: grid=2 block=64
// finds: async-race
// line: 12 29 34
static __device__ void bulk_stage_written_without_proxy_fence_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_stage_written_without_proxy_fence_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_stage_written_without_proxy_fence(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_stage_written_without_proxy_fence_init(&barrier, 1);
    unsigned sum = 0;
    for (unsigned n = 0; n < 9; n++) {
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_stage_written_without_proxy_fence_expect(&barrier, 256);
            bulk_stage_written_without_proxy_fence_load(tile, in + blockIdx.x * 1024 + n * 64, 256, &barrier);
        }
        bulk_stage_written_without_proxy_fence_wait(&barrier, n & 1);
        sum = sum * 3 + tile[63 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        tile[63 - threadIdx.x] = sum;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
