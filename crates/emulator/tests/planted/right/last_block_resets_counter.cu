// The last block adds up, and sets the counter back by a plain store: one fence, before the counter.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_resets_counter(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x * 64];
        __threadfence();
        last = atomicInc(out + 100, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            total += sums[block];
        }
        out[0] += total;
        out[100] = 0;
    }
}
