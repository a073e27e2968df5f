// A tree of sums in volatile shared memory, with a barrier of the warp a step.
// launch: grid=2 block=64

extern "C" __global__ void volatile_shared(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ volatile unsigned sums[64];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 * 32;
    sums[threadIdx.x] = in[i];
    __syncwarp();
    for (unsigned step = 16; step > 0; step /= 2) {
        unsigned other = lane < step ? sums[warp + lane + step] : 0;
        __syncwarp();
        sums[threadIdx.x] = sums[threadIdx.x] + other;
        __syncwarp();
    }
    out[i] = sums[warp];
}
