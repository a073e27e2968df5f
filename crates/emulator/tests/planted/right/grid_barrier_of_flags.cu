// Block 0 gathers the flags of all others, one a thread, and then lets them go.
// launch: grid=4 block=64
extern "C" __global__ void grid_barrier_of_flags(const unsigned *in, unsigned *out) {
    volatile unsigned *arrived = out + 2048, *go = out + 2060;
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] >> 3;
    __threadfence();
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0 && threadIdx.x < gridDim.x) {
            while (!arrived[threadIdx.x]) {}
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            *go = 1;
        }
    } else if (threadIdx.x == 0) {
        __threadfence();
        arrived[blockIdx.x] = 1;
        while (!*go) {}
        __threadfence();
    }
    __syncthreads();
    out[512 + i] = out[(i + 100) % 256] * 7;
}
