// Mistake: a barrier of the grid with more blocks than can be resident at once.
// launch: grid=6000 block=32
// finds: stuck
// line: 9 12
extern "C" __global__ void stuck_grid_barrier_too_large(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out, 1u);
        while (atomicAdd(out, 0u) < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
}
