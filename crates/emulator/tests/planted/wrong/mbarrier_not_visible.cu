// Mistake: no barrier of the block between the initialisation by one thread and the arrivals of the others.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block
// line: 6 9 12 13 14 19 21 22
static __device__ void mbarrier_not_visible_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_not_visible_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_not_visible_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_not_visible(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_not_visible_init(&barrier, 64);
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_not_visible_arrive(&barrier);
    mbarrier_not_visible_wait(&barrier, 0);
    out[threadIdx.x] = values[63 - threadIdx.x];
}
