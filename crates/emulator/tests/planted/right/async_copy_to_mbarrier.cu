// The copies of each thread arrive at an mbarrier when they are complete; all wait there instead of for groups.
// launch: grid=2 block=64
static __device__ void async_copy_to_mbarrier_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void async_copy_to_mbarrier_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
static __device__ void async_copy_to_mbarrier_wait(unsigned long long *barrier, unsigned parity) {
    for (unsigned done = 0; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(parity) : "memory");
}
extern "C" __global__ void async_copy_to_mbarrier(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) async_copy_to_mbarrier_init(&barrier, 64);
    __syncthreads();
    for (unsigned n = 0; n < 4; n++) {
        async_copy_to_mbarrier_copy(&tile[threadIdx.x], in + blockIdx.x * 1024 + n * 256 + threadIdx.x * 4);
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
        async_copy_to_mbarrier_wait(&barrier, n & 1);
        const uint4 v = tile[63 - threadIdx.x];
        out[blockIdx.x * 256 + n * 64 + threadIdx.x] = v.x ^ v.y * 3 ^ v.z ^ v.w * 5;
        __syncthreads();
    }
}
