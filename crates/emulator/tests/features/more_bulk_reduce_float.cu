// Copies to global memory that add floats and doubles that are whole numbers.
// launch: grid=3 block=64

extern "C" __global__ void more_bulk_reduce_float(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) float values[64];
    __shared__ alignas(16) double wide[64];
    values[threadIdx.x] = (float)(in[i] & 0xffff) - 1000.0f;
    wide[threadIdx.x] = (double)(int)in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(out), "r"((unsigned)__cvta_generic_to_shared(values)) : "memory");
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], 512;" ::"l"(out + 64), "r"((unsigned)__cvta_generic_to_shared(wide)) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
