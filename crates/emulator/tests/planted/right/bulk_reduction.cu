// Bulk copies that add to global memory: many blocks add to the same words.
// launch: grid=4 block=64
extern "C" __global__ void bulk_reduction(const unsigned *in, unsigned *out) {
    __shared__ __align__(16) unsigned tile[64];
    tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(__cvta_generic_to_global(out)),
                     "r"((unsigned)__cvta_generic_to_shared(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
