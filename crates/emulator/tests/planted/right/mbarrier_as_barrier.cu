// An mbarrier as a barrier of the block that is split into arriving and waiting, with the phase's state as the token.
// launch: grid=2 block=64
static __device__ void mbarrier_as_barrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
extern "C" __global__ void mbarrier_as_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][64];
    __shared__ unsigned long long barrier;
    const unsigned place = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) mbarrier_as_barrier_init(&barrier, 64);
    __syncthreads();
    unsigned sum = in[blockIdx.x * 64 + threadIdx.x];
    for (int n = 0; n < 7; n++) {
        unsigned long long state;
        values[n & 1][threadIdx.x] = sum;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        sum = sum * 3 + n;
        for (unsigned done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(place), "l"(state) : "memory");
        sum ^= values[n & 1][63 - threadIdx.x];
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
