// Nine steps of a stencil over four blocks, between two buffers, with a grid barrier after each step.
// launch: grid=4 block=64
static __device__ void grid_barrier_repeated_wait(unsigned *count, unsigned goal) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1u);
        while (atomicAdd(count, 0u) < goal) {}
        __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void grid_barrier_repeated(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    for (unsigned step = 0; step < 9; step++) {
        grid_barrier_repeated_wait(out + 4000, (step + 1) * gridDim.x);
        const unsigned *from = out + (step & 1) * 256;
        out[(~step & 1) * 256 + i] = from[(i + 1) % 256] * 3 + from[(i + 255) % 256];
    }
}
