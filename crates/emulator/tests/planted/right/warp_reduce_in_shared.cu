// A warp-synchronous reduction: reads and writes of each step are kept apart by __syncwarp.
// launch: grid=2 block=64
extern "C" __global__ void warp_reduce_in_shared(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned thread = threadIdx.x, lane = thread & 31;
    unsigned sum = in[blockIdx.x * 64 + thread];
    values[thread] = sum;
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        if (lane < step) sum += values[thread + step];
        __syncwarp();
        if (lane < step) values[thread] = sum;
        __syncwarp();
    }
    out[blockIdx.x * 64 + thread] = values[thread & 32];
}
