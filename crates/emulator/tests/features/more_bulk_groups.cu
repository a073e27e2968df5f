// Two stages of shared memory on their way to global memory: a wait that leaves one group under way.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) uint2 stages[2][64];
    for (unsigned round = 0; round < 4; ++round) {
        if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(1) : "memory");
        __syncthreads();
        stages[round % 2][threadIdx.x] = make_uint2(in[i] + round, in[i + 1] * round);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            for (unsigned half = 0; half < 2; ++half)
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out + 512 * round + 128 * blockIdx.x + 64 * half),
                             "r"((unsigned)__cvta_generic_to_shared(&stages[round % 2][32 * half]))
                             : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        }
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
