// A copy from shared to global memory, and when its source may be written again.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_store(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    for (unsigned round = 0; round < 3; ++round) {
        values[threadIdx.x] = in[i + 128 * round] ^ round;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (threadIdx.x == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + 64 * blockIdx.x + 1024 * round),
                         "r"((unsigned)__cvta_generic_to_shared(values)), "r"(256)
                         : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
