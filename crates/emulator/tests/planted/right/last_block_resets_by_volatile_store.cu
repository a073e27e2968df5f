// The counter is a volatile variable of the device that the last block sets back.
// launch: grid=3 block=32 repeat=2
__device__ volatile unsigned last_block_resets_by_volatile_store_count = 0;
extern "C" __global__ void last_block_resets_by_volatile_store(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        out[8 + blockIdx.x] = in[blockIdx.x];
        __threadfence();
        const unsigned before = atomicAdd((unsigned *)&last_block_resets_by_volatile_store_count, 1u);
        if (before == gridDim.x - 1) {
            __threadfence();
            out[0] += out[8] + out[9] + out[10];
            last_block_resets_by_volatile_store_count = 0;
        }
    }
}
