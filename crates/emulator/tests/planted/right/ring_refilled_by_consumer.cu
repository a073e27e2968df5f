// No warp of its own for copies: thread 0 refills a stage after a barrier that all reach when they have read it.
// launch: grid=2 block=128
static __device__ void ring_refilled_by_consumer_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void ring_refilled_by_consumer_expect(unsigned long long *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes) : "memory");
}
static __device__ void ring_refilled_by_consumer_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void ring_refilled_by_consumer_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void ring_refilled_by_consumer(const unsigned *in, unsigned *out) {
    __shared__ __align__(128) unsigned stages[3][128];
    __shared__ unsigned long long full[3];
    const unsigned *from = in + blockIdx.x * 2048;
    if (threadIdx.x == 0)
        for (int n = 0; n < 3; n++) {
            ring_refilled_by_consumer_init(&full[n], 1);
            ring_refilled_by_consumer_expect(&full[n], 512);
            ring_refilled_by_consumer_load(stages[n], from + n * 128, 512, &full[n]);
        }
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 16; n++) {
        ring_refilled_by_consumer_wait(&full[n % 3], n / 3 & 1);
        sum = sum * 3 + stages[n % 3][127 - threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0 && n + 3 < 16) {
            // One fence will do, behind the barrier.
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            ring_refilled_by_consumer_expect(&full[n % 3], 512);
            ring_refilled_by_consumer_load(stages[n % 3], from + (n + 3) * 128, 512, &full[n % 3]);
        }
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
}
