// Mistake: a barrier that counts no arrivals at all.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 6 9 13 15
static __device__ void mbarrier_count_zero_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_count_zero_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
extern "C" __global__ void mbarrier_count_zero(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_count_zero_init(&barrier, in[0]);
    __syncthreads();
    mbarrier_count_zero_arrive(&barrier);
    out[threadIdx.x] = in[threadIdx.x];
}
