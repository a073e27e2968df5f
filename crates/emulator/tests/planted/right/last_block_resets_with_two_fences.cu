// As in CUDA's threadFenceReduction: a fence on both sides of the counter, which another thread than the one that counted sets back.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_resets_with_two_fences(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = in[blockIdx.x * 64];
        __threadfence();
        last = atomicAdd(out + 100, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 33) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) {
            total += sums[block];
        }
        out[0] += total;
        out[100] = 0;
    }
}
