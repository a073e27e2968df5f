// Every block waits for the sum of the block before it and hands its own on.
// launch: grid=4 block=64
extern "C" __global__ void chained_scan(const unsigned *in, unsigned *out) {
    __shared__ unsigned before, sum;
    volatile unsigned *sums = out + 1024, *ready = out + 1032;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * 64 + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (blockIdx.x) {
            while (!ready[blockIdx.x - 1]) {}
            __threadfence();
        }
        before = blockIdx.x ? sums[blockIdx.x - 1] : 0;
        sums[blockIdx.x] = before + sum;
        __threadfence();
        ready[blockIdx.x] = 1;
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = before + threadIdx.x;
}
