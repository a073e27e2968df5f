// Two copies under way at a time: each wait leaves the newest group alone.
// launch: grid=2 block=64

extern "C" __global__ void more_cp_async_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned stages[2][64 * 4];
    unsigned sum = 0;
    for (unsigned round = 0; round <= 4; ++round) {
        if (round < 4) {
            unsigned target = (unsigned)__cvta_generic_to_shared(&stages[round % 2][4 * threadIdx.x]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * i + 512 * round) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (round == 0) continue;
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads();
        for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + stages[(round - 1) % 2][(threadIdx.x * 5 + k) % 256];
        __syncthreads();
    }
    out[i] = sum;
}
