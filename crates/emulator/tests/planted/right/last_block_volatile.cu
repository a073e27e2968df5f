// As in CUDA's own guide: partial sums are volatile, a fence comes before the counter, which goes back to zero by itself.
// launch: grid=4 block=64 repeat=2
extern "C" __global__ void last_block_volatile(const unsigned *in, unsigned *out) {
    __shared__ bool last;
    __shared__ unsigned sum;
    volatile unsigned *sums = out + 64;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(out + 100, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned total = 0;
        for (unsigned block = 0; block < gridDim.x; block++) total += sums[block];
        out[0] += total;
    }
}
