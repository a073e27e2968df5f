// Mistake: the barrier waits for 65 arrivals and 64 threads arrive.
// launch: grid=1 block=64
// finds: stuck
// line: 6 12 13 14 18 21
static __device__ void mbarrier_count_too_large_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_too_large_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_count_too_large_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_count_too_large(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_too_large_init(&barrier, 65);
    __syncthreads();
    mbarrier_count_too_large_arrive(&barrier);
    mbarrier_count_too_large_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
