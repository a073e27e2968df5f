// A barrier of the whole grid by an atomic counter; as many blocks as fit at once.
// launch: grid=4 block=64
extern "C" __global__ void grid_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    volatile unsigned *count = out + 4000;
    out[i] = in[i] * 3;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(out + 4000, 1u);
        while (*count < gridDim.x) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[255 - i] + 1;
}
