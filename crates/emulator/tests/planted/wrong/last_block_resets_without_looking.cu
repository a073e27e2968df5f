// Mistake: every block sets the counter back, not the last one alone.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void last_block_resets_without_looking(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        atomicInc(out + 512, gridDim.x);
        __threadfence();
        out[512] = 0;
    }
}
