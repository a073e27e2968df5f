// A block uses its own part of global memory as scratch; __syncthreads orders that too.
// launch: grid=4 block=64
extern "C" __global__ void global_scratch_of_block(const unsigned *in, unsigned *out) {
    unsigned *scratch = out + 1024 + blockIdx.x * 64, value = in[blockIdx.x * 64 + threadIdx.x];
    for (int round = 0; round < 6; round++) {
        scratch[threadIdx.x ^ round] = value;
        __syncthreads();
        value = value * 3 + scratch[63 - threadIdx.x];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = value;
}
