// Both branches have barriers of their own; a block takes one of them as a whole, decided by what it read in shared memory.
// launch: grid=4 block=64
extern "C" __global__ void barrier_in_uniform_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    const unsigned first = values[0];
    if (first & 1) {
        const unsigned next = values[(threadIdx.x + 1) % 64];
        __syncthreads();
        values[threadIdx.x] = next * 3;
    } else {
        const unsigned last = values[63 - threadIdx.x];
        __syncthreads();
        values[threadIdx.x] += last;
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}
