// A buffer is written again only after its bulk store has read it: one group may still be reading the other buffer.
// launch: grid=2 block=64
static __device__ void bulk_store_two_buffers_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tiles[2][64];
    for (unsigned n = 0; n < 9; n++) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        __syncthreads();
        tiles[n & 1][threadIdx.x ^ 5] = in[n * 128 + blockIdx.x * 64 + threadIdx.x] + n;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store_two_buffers_store(out + n * 128 + blockIdx.x * 64, tiles[n & 1], 256);
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
