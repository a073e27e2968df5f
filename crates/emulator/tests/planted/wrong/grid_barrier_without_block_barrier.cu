// Mistake: thread 0 arrives at the grid's barrier before the other warps of its block have stored.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 15
extern "C" __global__ void grid_barrier_without_block_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 3;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out + 4000, 1u);
        while (atomicAdd(out + 4000, 0u) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[(i + 64) % 256] + 1;
}
