// Mistake: the barrier comes before the wait, and so says nothing of the other threads' copies.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 10 13
static __device__ void async_copy_barrier_before_wait_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_barrier_before_wait(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_barrier_before_wait_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}
