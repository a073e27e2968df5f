// Generic stores, the proxy fence of each thread, a barrier, then one thread's bulk store, waited for before the block ends.
// launch: grid=4 block=64
static __device__ void bulk_store_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void bulk_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[63 - threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x] * 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store_store(out + blockIdx.x * 64, tile, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
