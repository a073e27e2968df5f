// Mistake: the barrier counts 32 arrivals a phase and 64 threads arrive: a phase ends before all have come.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block stuck unwritten
// line: 6 9 12 13 14 19 21 22 23 24
static __device__ void mbarrier_count_too_small_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_too_small_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_count_too_small_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_count_too_small(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_too_small_init(&barrier, 32);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_count_too_small_arrive(&barrier);
    mbarrier_count_too_small_wait(&barrier, 0);
    out[threadIdx.x] = values[63 - threadIdx.x];
}
