// Mistake: the consumers wait for a barrier at which the producers arrive one round less.
// launch: grid=1 block=64
// finds: stuck
// line: 12 13 14 23
static __device__ void stuck_mbarrier_never_arrived_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void stuck_mbarrier_never_arrived_arrive(unsigned long long *barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}
static __device__ void stuck_mbarrier_never_arrived_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void stuck_mbarrier_never_arrived(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) stuck_mbarrier_never_arrived_init(&barrier, 32);
    __syncthreads();
    if (threadIdx.x < 32) {
        stuck_mbarrier_never_arrived_arrive(&barrier);
    } else {
        for (unsigned n = 0; n < 2; n++) stuck_mbarrier_never_arrived_wait(&barrier, n);
    }
    out[threadIdx.x] = in[threadIdx.x];
}
