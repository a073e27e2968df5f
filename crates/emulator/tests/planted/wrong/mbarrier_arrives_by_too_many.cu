// Mistake: one thread arrives with a count of 3 where the phase waits for 2.
// launch: grid=1 block=32
// finds: barrier-misuse
// line: 13
static __device__ void mbarrier_arrives_by_too_many_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
extern "C" __global__ void mbarrier_arrives_by_too_many(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_arrives_by_too_many_init(&barrier, 2);
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], 3;" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    out[threadIdx.x] = in[threadIdx.x];
}
