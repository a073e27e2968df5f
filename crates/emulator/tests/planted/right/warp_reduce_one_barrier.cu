// Each step reads the upper half, which that step does not write: one __syncwarp a step is enough.
// launch: grid=1 block=128
extern "C" __global__ void warp_reduce_one_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    const unsigned lane = threadIdx.x & 31;
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 16; step; step /= 2) {
        __syncwarp();
        if (lane < step) values[threadIdx.x] += values[threadIdx.x + step];
    }
    if (lane == 0) out[threadIdx.x / 32] = values[threadIdx.x];
}
