// Mistake: the tile is written again before the bulk store has read it.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 12 16
static __device__ void bulk_store_source_overwritten_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_source_overwritten(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    for (unsigned n = 0; n < 3; n++) {
        tile[threadIdx.x] = in[n * 64 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_source_overwritten_store(out + n * 64, tile, 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
