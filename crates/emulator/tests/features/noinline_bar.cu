// A barrier in a function that is not inlined.
// launch: grid=2 block=64

__device__ __noinline__ unsigned noinline_bar_exchange(unsigned *values, unsigned value, unsigned distance) {
    values[threadIdx.x] = value;
    __syncthreads();
    unsigned other = values[(threadIdx.x + distance) % blockDim.x];
    __syncthreads();
    return other;
}

extern "C" __global__ void noinline_bar(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    unsigned value = in[i];
    for (unsigned distance = 1; distance < 64; distance *= 2) value += noinline_bar_exchange(values, value, distance);
    out[i] = value;
}
