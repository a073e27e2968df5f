// Producer and consumer warps with full and empty mbarriers over plain stores: arriving releases, waiting acquires.
// launch: grid=2 block=64
static __device__ void mbarrier_generic_ring_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_generic_ring_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_generic_ring_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_generic_ring(const unsigned *in, unsigned *out) {
    __shared__ unsigned stages[2][32];
    __shared__ unsigned long long full[2], empty[2];
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) mbarrier_generic_ring_init(&full[threadIdx.x], 32), mbarrier_generic_ring_init(&empty[threadIdx.x], 32);
    __syncthreads();
    unsigned sum = 0;
    for (int n = 0; n < 12; n++)
        if (threadIdx.x < 32) {
            mbarrier_generic_ring_wait(&empty[n & 1], (n / 2 & 1) ^ 1);
            stages[n & 1][lane] = in[blockIdx.x * 512 + n * 32 + lane];
            mbarrier_generic_ring_arrive(&full[n & 1]);
        } else {
            mbarrier_generic_ring_wait(&full[n & 1], n / 2 & 1);
            sum = sum * 3 + stages[n & 1][31 - lane];
            mbarrier_generic_ring_arrive(&empty[n & 1]);
        }
    if (threadIdx.x >= 32) out[blockIdx.x * 32 + lane] = sum;
}
