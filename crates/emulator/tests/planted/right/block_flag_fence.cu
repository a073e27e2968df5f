// One warp waits for a flag of another in shared memory; fences of the block order the data.
// launch: grid=1 block=64
extern "C" __global__ void block_flag_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[threadIdx.x];
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 0) {
            __threadfence_block();
            ready = 1;
        }
    } else {
        while (ready == 0) {}
        __threadfence_block();
        out[threadIdx.x - 32] = values[63 - threadIdx.x];
    }
}
