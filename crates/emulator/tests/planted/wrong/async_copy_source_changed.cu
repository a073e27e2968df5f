// Mistake: the source of the copy is written before the copy has been waited for.
// launch: grid=1 block=32
// finds: async-race
// line: 6 10 11
static __device__ void async_copy_source_changed_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_source_changed(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    async_copy_source_changed_copy(&tile[threadIdx.x], out + threadIdx.x * 4);
    out[threadIdx.x * 4] = in[threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    out[1024 + threadIdx.x] = tile[31 - threadIdx.x].x;
}
