// Mistake: two threads' copies go to the same 16 bytes.
// launch: grid=1 block=64
// finds: async-race race-in-block
// line: 6 10
static __device__ void async_copies_collide_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copies_collide(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32];
    async_copies_collide_copy(&tile[threadIdx.x % 32], in + threadIdx.x * 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 32].x;
}
