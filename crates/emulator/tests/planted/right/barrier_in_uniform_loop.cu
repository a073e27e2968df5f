// The number of barriers differs between blocks, not within one.
// launch: grid=4 block=64
extern "C" __global__ void barrier_in_uniform_loop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    for (unsigned step = 0; step < 2 * blockIdx.x + 1; step++) {
        __syncthreads();
        const unsigned next = values[(threadIdx.x + 1) % 64];
        __syncthreads();
        values[threadIdx.x] ^= next;
    }
    out[blockIdx.x * 64 + threadIdx.x] = values[threadIdx.x];
}
