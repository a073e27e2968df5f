// Mistake: a loop that clears an array goes on into the barrier behind it.
// launch: grid=1 block=32
// finds: barrier-misuse race-in-block
// line: 9 12 13 14 21 23 24
static __device__ void mbarrier_overwritten_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_overwritten_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_overwritten_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_overwritten(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[34];
    unsigned long long *barrier = reinterpret_cast<unsigned long long *>(words + 32);
    if (threadIdx.x == 0) mbarrier_overwritten_init(barrier, 32);
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 34; k += 32) words[k] = 0;
    __syncwarp();
    mbarrier_overwritten_arrive(barrier);
    mbarrier_overwritten_wait(barrier, 0);
    out[threadIdx.x] = in[threadIdx.x] + words[31 - threadIdx.x];
}
