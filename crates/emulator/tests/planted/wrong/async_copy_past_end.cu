// Mistake: the last thread's asynchronous copy reads 16 bytes behind the end of the input.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 6 10
static __device__ void async_copy_past_end_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_past_end(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_past_end_copy(&tile[threadIdx.x], in + 4096 - 252 + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
}
