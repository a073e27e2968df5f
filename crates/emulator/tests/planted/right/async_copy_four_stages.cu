// Three groups ahead and one barrier a step: a stage is filled again only after the barrier that follows its use.
// launch: grid=1 block=64
static __device__ void async_copy_four_stages_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_four_stages(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[4][64];
    const uint4 *from = reinterpret_cast<const uint4 *>(in) + threadIdx.x;
    unsigned sum = 0;
    for (unsigned n = 0; n < 3; n++) {
        async_copy_four_stages_copy(&stages[n][threadIdx.x], from + n * 64);
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
    for (unsigned n = 0; n < 16; n++) {
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        if (n + 3 < 16) async_copy_four_stages_copy(&stages[(n + 3) % 4][threadIdx.x], from + (n + 3) * 64);
        asm volatile("cp.async.commit_group;" ::: "memory");
        const uint4 v = stages[n % 4][threadIdx.x ^ 37];
        sum = sum * 3 + (v.x ^ v.y) + (v.z ^ v.w);
    }
    out[threadIdx.x] = sum;
}
