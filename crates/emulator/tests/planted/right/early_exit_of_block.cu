// A whole block leaves before the barrier: the condition is the same for all of its threads.
// launch: grid=4 block=64
extern "C" __global__ void early_exit_of_block(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (in[blockIdx.x] % 2 == 0) return;
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
}
