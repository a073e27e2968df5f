// A warp publishes values, another waits for them.
// launch: grid=2 block=64

extern "C" __global__ void threadfence_block(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[32], ready[32];
    if (threadIdx.x < 32) ready[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[i];
        __threadfence_block();
        atomicExch(&ready[threadIdx.x], 1u);
    } else {
        unsigned other = 63 - threadIdx.x;
        while (atomicAdd(&ready[other], 0u) == 0) {}
        __threadfence_block();
        out[i] = values[other] + 1;
    }
}
