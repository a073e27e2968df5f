// Copies to global memory that add, and that keep the least, the greatest or some of the bits.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_reduce(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    values[threadIdx.x] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned from = (unsigned)__cvta_generic_to_shared(values);
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s32 [%0], [%1], 256;" ::"l"(out + 64), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u32 [%0], [%1], 256;" ::"l"(out + 128), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.xor.b32 [%0], [%1], 256;" ::"l"(out + 192), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], 128;" ::"l"(out + 256), "r"(from) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], 256;" ::"l"(out + 320), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
