// Mistake: the first thread of each of the two warps initialises the barrier.
// launch: grid=1 block=64
// finds: barrier-misuse race-in-block
// line: 6 9 12 13 14 18 20 21
static __device__ void mbarrier_initialised_twice_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_initialised_twice_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_twice_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_twice(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x % 32 == 0) mbarrier_initialised_twice_init(&barrier, 64);
    __syncthreads();
    mbarrier_initialised_twice_arrive(&barrier);
    mbarrier_initialised_twice_wait(&barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
