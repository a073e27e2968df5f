// A grid barrier at which the whole block votes on whether all have come.
// launch: grid=6 block=96
extern "C" __global__ void grid_barrier_block_vote(const unsigned *in, unsigned *out) {
    volatile unsigned *count = out + 4000;
    out[1024 + blockIdx.x * 96 + threadIdx.x] = in[blockIdx.x * 96 + threadIdx.x];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out + 4000, 1);
    while (__syncthreads_or(threadIdx.x == 0 && *count < gridDim.x)) {}
    __threadfence();
    out[blockIdx.x * 96 + threadIdx.x] = out[1024 + (gridDim.x - 1 - blockIdx.x) * 96 + threadIdx.x];
}
