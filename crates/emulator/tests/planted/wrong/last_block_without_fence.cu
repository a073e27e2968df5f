// Mistake: nothing orders a block's partial sum before its arrival at the counter.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8 11
extern "C" __global__ void last_block_without_fence(const unsigned *in, unsigned *out) {
    const unsigned sum = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x) return;
    out[64 + blockIdx.x] = sum;
    if (atomicAdd(out + 100, 1u) == gridDim.x - 1) {
        __threadfence();
        for (int k = 0; k < 4; k++) out[0] += out[64 + k];
    }
}
