// Loads inside the buffer whose values nobody uses, and stores that are overwritten by their own thread.
// launch: grid=2 block=64
extern "C" __global__ void unused_loads(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    values[threadIdx.x] = 1;
    values[threadIdx.x] = in[i];
    __syncthreads();
    const unsigned other = values[63 - threadIdx.x], ahead = in[i + 1];
    out[i] = 5;
    out[i] = values[threadIdx.x];
}
