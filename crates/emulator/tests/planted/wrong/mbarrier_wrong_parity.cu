// Mistake: the first phase is waited for with parity 1, which a new barrier answers at once.
// launch: grid=1 block=64
// finds: race-in-block barrier-misuse stuck unwritten
// line: 9 12 13 14 21 23 24
static __device__ void mbarrier_wrong_parity_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_wrong_parity_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_wrong_parity_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_wrong_parity(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_wrong_parity_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_wrong_parity_arrive(&barrier);
    mbarrier_wrong_parity_wait(&barrier, 1);
    out[threadIdx.x] = values[63 - threadIdx.x];
}
