// Mistake: the two warps come to the barrier in different rounds of the loop, and one of them once more than the other.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 9 10
extern "C" __global__ void barrier_of_other_rounds(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned k = 0; k < 3 + in[0]; k++)
        if (threadIdx.x / 32 == (k & 1)) __syncthreads();
    __syncthreads();
    out[threadIdx.x] = values[63 - threadIdx.x];
}
