// Mistake: thread 0 starts the bulk store before the other warps have filled the tile.
// launch: grid=1 block=64
// finds: async-race race-in-block unwritten
// line: 6 7 11 14
static __device__ void bulk_store_without_barrier_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    if (threadIdx.x == 0) {
        bulk_store_without_barrier_store(out, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
