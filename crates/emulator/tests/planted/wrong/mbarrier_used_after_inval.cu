// Mistake: the barrier is arrived at after its life has been ended.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 9 12 13 14 25
static __device__ void mbarrier_used_after_inval_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_used_after_inval_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_used_after_inval_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_used_after_inval(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_used_after_inval_init(&barrier, 32);
    __syncthreads();
    mbarrier_used_after_inval_arrive(&barrier);
    mbarrier_used_after_inval_wait(&barrier, 0);
    __syncthreads();
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    __syncthreads();
    mbarrier_used_after_inval_arrive(&barrier);
    out[threadIdx.x] = in[threadIdx.x];
}
