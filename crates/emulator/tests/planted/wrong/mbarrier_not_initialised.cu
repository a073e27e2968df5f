// Mistake: nothing initialises the barrier.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 10 11 15 16
static __device__ void mbarrier_not_initialised_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_not_initialised_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_not_initialised(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    mbarrier_not_initialised_arrive(&barrier);
    mbarrier_not_initialised_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
