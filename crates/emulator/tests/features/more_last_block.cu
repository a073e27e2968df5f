// Each block leaves its sum, and the block that comes last adds the sums up.
// launch: grid=6 block=64

__device__ unsigned more_last_block_sums[6], more_last_block_arrived;

extern "C" __global__ void more_last_block(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        more_last_block_sums[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(&more_last_block_arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    unsigned total = 0;
    for (unsigned block = 0; block < gridDim.x; ++block) total = total * 3 + *(volatile unsigned *)&more_last_block_sums[block];
    out[threadIdx.x] = total + threadIdx.x;
}
