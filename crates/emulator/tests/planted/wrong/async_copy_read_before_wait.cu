// Mistake: what an asynchronous copy brings is read without waiting for it.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 10 12
static __device__ void async_copy_read_before_wait_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_read_before_wait(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_read_before_wait_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.commit_group;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x].x;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}
