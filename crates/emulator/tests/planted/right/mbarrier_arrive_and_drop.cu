// The second warp leaves after two phases and takes its arrivals off the later ones.
// launch: grid=1 block=64
static __device__ void mbarrier_arrive_and_drop_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void mbarrier_arrive_and_drop_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void mbarrier_arrive_and_drop_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void mbarrier_arrive_and_drop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) mbarrier_arrive_and_drop_init(&barrier, 64);
    __syncthreads();
    values[threadIdx.x] = in[threadIdx.x];
    mbarrier_arrive_and_drop_arrive(&barrier);
    mbarrier_arrive_and_drop_wait(&barrier, 0);
    unsigned sum = values[63 - threadIdx.x];
    if (threadIdx.x >= 32) {
        out[threadIdx.x] = sum;
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        return;
    }
    for (unsigned n = 1; n < 6; n++) {
        mbarrier_arrive_and_drop_arrive(&barrier);
        mbarrier_arrive_and_drop_wait(&barrier, n & 1);
        values[32 * (n & 1) + threadIdx.x] = sum;
        __syncwarp();
        sum = sum * 3 + values[32 * (n & 1) + 31 - threadIdx.x];
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}
