// Mistake: thread 0 counts its block as done before the other warps have written their sums.
// launch: grid=4 block=64
// finds: race-between-blocks race-in-block
// line: 7 11
extern "C" __global__ void last_block_counts_too_early(const unsigned *in, unsigned *out) {
    const unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 64 + threadIdx.x]);
    if (threadIdx.x % 32 == 0) out[64 + blockIdx.x * 2 + threadIdx.x / 32] = sum;
    __threadfence();
    if (threadIdx.x == 0 && atomicAdd(out + 100, 1u) == gridDim.x - 1) {
        __threadfence();
        for (int k = 0; k < 8; k++) out[0] += out[64 + k];
    }
}
