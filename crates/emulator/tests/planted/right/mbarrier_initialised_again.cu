// A barrier's life ends with inval, between barriers of the block, and a new one begins with another count.
// launch: grid=1 block=64
static __device__ void mbarrier_initialised_again_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_initialised_again_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_initialised_again_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_initialised_again(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_initialised_again_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_initialised_again_arrive(&barrier);
    mbarrier_initialised_again_wait(&barrier, 0);
    unsigned sum = values[63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        mbarrier_initialised_again_init(&barrier, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = sum;
        mbarrier_initialised_again_arrive(&barrier);
    }
    mbarrier_initialised_again_wait(&barrier, 0);
    out[threadIdx.x] = sum + values[31 - threadIdx.x % 32];
}
