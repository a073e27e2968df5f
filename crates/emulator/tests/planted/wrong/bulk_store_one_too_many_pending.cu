// Mistake: with two buffers, two pending groups are one too many: the oldest may still read the buffer that is written.
// launch: grid=1 block=64
// finds: async-race
// line: 6 7 14 18
static __device__ void bulk_store_one_too_many_pending_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_one_too_many_pending(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tiles[2][64];
    for (unsigned n = 0; n < 6; n++) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 2;" ::: "memory");
        __syncthreads();
        tiles[n & 1][threadIdx.x] = in[n * 64 + threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_one_too_many_pending_store(out + n * 64, tiles[n & 1], 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
