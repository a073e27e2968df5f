// Mistake: the next copy into a stage starts before the other warps have read the stage.
// launch: grid=1 block=64
// finds: async-race race-in-block
// line: 6 12 15
static __device__ void async_copy_stage_reused_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_stage_reused(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    unsigned sum = 0;
    for (unsigned n = 0; n < 4; n++) {
        async_copy_stage_reused_copy(&tile[threadIdx.x], in + n * 256 + threadIdx.x * 4);
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
        sum = sum * 3 + tile[63 - threadIdx.x].x;
    }
    out[threadIdx.x] = sum;
}
