// Mistake: a barrier of the grid without fences: the counter is reached, the data need not be.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 14
extern "C" __global__ void grid_barrier_without_fence(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(out + 4000, 1u);
        while (atomicAdd(out + 4000, 0u) < gridDim.x) {}
    }
    __syncthreads();
    out[512 + i] = out[255 - i] + 1;
}
