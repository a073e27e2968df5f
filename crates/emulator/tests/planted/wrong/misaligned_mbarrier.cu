// Mistake: the barrier lies at an address that is a multiple of 4 and not of 8.
// launch: grid=1 block=32
// finds: misaligned
// line: 6 9 12 13 14 19 21 22
static __device__ void misaligned_mbarrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void misaligned_mbarrier_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void misaligned_mbarrier_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void misaligned_mbarrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned words[8];
    unsigned long long *barrier = reinterpret_cast<unsigned long long *>(words + 1);
    if (threadIdx.x == 0) misaligned_mbarrier_init(barrier, 32);
    __syncwarp();
    misaligned_mbarrier_arrive(barrier);
    misaligned_mbarrier_wait(barrier, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
