// Mistake: a plain store goes into the stage while its copy is under way.
// launch: grid=1 block=64
// finds: async-race
// line: 6 10 11
static __device__ void async_copy_stage_overwritten_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_stage_overwritten(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_stage_overwritten_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    if (threadIdx.x == 0) tile[0].x = 5;
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}
