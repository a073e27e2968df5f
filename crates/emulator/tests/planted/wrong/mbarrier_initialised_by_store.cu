// Mistake: the barrier is made by a plain store of zero instead of mbarrier.init.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 10 11 15 17 18
static __device__ void mbarrier_initialised_by_store_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_by_store_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_by_store(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) barrier = 0;
    __syncthreads();
    mbarrier_initialised_by_store_arrive(&barrier);
    mbarrier_initialised_by_store_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
