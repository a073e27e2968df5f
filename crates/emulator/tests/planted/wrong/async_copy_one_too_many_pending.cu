// Mistake: wait_group 1 where the newest group is the one that is read.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 10 12 15
static __device__ void async_copy_one_too_many_pending_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_one_too_many_pending(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    async_copy_one_too_many_pending_copy(&stages[0][threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
    async_copy_one_too_many_pending_copy(&stages[1][threadIdx.x], in + 256 + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = stages[0][threadIdx.x].x + stages[1][threadIdx.x].y;
    asm volatile("cp.async.wait_all;" ::: "memory");
}
