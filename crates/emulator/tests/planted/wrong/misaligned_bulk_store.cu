// Mistake: the bulk store's source in shared memory is 4 bytes past a multiple of 16.
// launch: grid=1 block=64
// finds: misaligned
// line: 6 7 15
static __device__ void misaligned_bulk_store_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"((unsigned)__cvta_generic_to_shared(from)), "r"(bytes) : "memory");
}
extern "C" __global__ void misaligned_bulk_store(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[68];
    tile[threadIdx.x + 1] = in[threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        misaligned_bulk_store_store(out, tile + 1, 256);
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
