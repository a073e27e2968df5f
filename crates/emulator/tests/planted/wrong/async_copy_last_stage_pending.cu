// Mistake: in the last round no new group is committed, so that wait_group 1 lets the group that is read be pending.
// launch: grid=1 block=64
// finds: async-race unwritten
// line: 6 13 18
static __device__ void async_copy_last_stage_pending_copy(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory");
}
extern "C" __global__ void async_copy_last_stage_pending(const unsigned *in, unsigned *out) {
    __shared__ uint4 stages[2][64];
    unsigned sum = 0;
    for (unsigned n = 0; n < 5; n++) {
        if (n < 4) {
            async_copy_last_stage_pending_copy(&stages[n & 1][threadIdx.x], in + n * 256 + threadIdx.x * 4);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        __syncthreads();
        if (n) sum = sum * 3 + stages[~n & 1][threadIdx.x ^ 32].x;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
    asm volatile("cp.async.wait_all;" ::: "memory");
}
