// Mistake: every thread waits for its own copies and then reads another's: a barrier is missing.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 10 12
static __device__ void async_copy_of_others_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_of_others(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[64];
    async_copy_of_others_copy(&tile[threadIdx.x], in + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[threadIdx.x] = tile[63 - threadIdx.x].x;
}
