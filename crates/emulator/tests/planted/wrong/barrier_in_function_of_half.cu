// Mistake: a function with a barrier in it is called by the first half of the block only.
// launch: grid=1 block=128
// finds: divergent-barrier
// line: 6 13 15
static __device__ unsigned barrier_in_function_of_half_sum(unsigned *values) {
    __syncthreads();
    return values[threadIdx.x] + values[threadIdx.x + 64];
}
extern "C" __global__ void barrier_in_function_of_half(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    unsigned sum = in[threadIdx.x];
    if (threadIdx.x < 64) sum = barrier_in_function_of_half_sum(values);
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += values[threadIdx.x];
}
