// Mistake: the copies arrive at an mbarrier, and nobody waits there.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 9 16 19
static __device__ void async_copy_mbarrier_not_waited_init(unsigned long long *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(count) : "memory");
}
static __device__ void async_copy_mbarrier_not_waited_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_mbarrier_not_waited(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    __shared__ unsigned long long barrier;
    if (threadIdx.x == 0) async_copy_mbarrier_not_waited_init(&barrier, 64);
    __syncthreads();
    async_copy_mbarrier_not_waited_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&barrier)) : "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
    asm volatile("cp.async.wait_all;" ::: "memory");
}
