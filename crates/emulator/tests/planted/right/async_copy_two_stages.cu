// The next stage is on its way while this one is used: one group may be pending.
// launch: grid=2 block=64
static __device__ void async_copy_two_stages_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_two_stages(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + blockIdx.x * 512 + threadIdx.x;
    unsigned sum = 0;
    async_copy_two_stages_copy(&stages[0][threadIdx.x], from);
    asm volatile("cp.async.commit_group;" ::: "memory");
    for (unsigned n = 0; n < 8; n++) {
        if (n < 7) async_copy_two_stages_copy(&stages[~n & 1][threadIdx.x], from + (n + 1) * 64);
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        const uint4 v = stages[n & 1][63 - threadIdx.x];
        sum = sum * 3 + v.x + v.y * 5 + v.z * 7 + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
