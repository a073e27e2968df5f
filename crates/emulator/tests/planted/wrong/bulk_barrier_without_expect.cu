// Mistake: the barrier is not told of the copy's bytes, and its phase ends when the thread arrives.
// launch: grid=1 block=64
// finds: async-race barrier-misuse unwritten
// line: 9 12 13 16 17 18 26 27 30
static __device__ void bulk_barrier_without_expect_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void bulk_barrier_without_expect_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_barrier_without_expect_load(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void bulk_barrier_without_expect_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void bulk_barrier_without_expect(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) bulk_barrier_without_expect_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_barrier_without_expect_load(tile, in, 256, &barrier);
        bulk_barrier_without_expect_arrive(&barrier);
    }
    bulk_barrier_without_expect_wait(&barrier, 0);
    out[threadIdx.x] = tile[threadIdx.x];
}
