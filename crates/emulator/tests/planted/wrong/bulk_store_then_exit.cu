// Mistake: the block ends without waiting until its bulk store has read the shared memory.
// launch: grid=2 block=64
// finds: async-race
// line: 6 7 15 18
static __device__ void bulk_store_then_exit_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_then_exit(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_then_exit_store(out + blockIdx.x * 64, tile, 256);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
}
