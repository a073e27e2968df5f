// Sums of warps by shuffles, then the first warp alone adds them up with a mask of the lanes that have one.
// launch: grid=4 block=256
extern "C" __global__ void block_reduce_two_levels(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[8];
    unsigned sum = in[blockIdx.x * 256 + threadIdx.x];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 8) {
        sum = sums[threadIdx.x];
        for (int step = 4; step; step /= 2) sum += __shfl_down_sync(0xff, sum, step, 8);
        if (threadIdx.x == 0) out[blockIdx.x] = sum;
    }
}
