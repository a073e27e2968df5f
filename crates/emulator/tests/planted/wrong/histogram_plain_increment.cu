// Mistake: bins are incremented without an atomic.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void histogram_plain_increment(const unsigned *in, unsigned *out) {
    __shared__ unsigned bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    bins[in[threadIdx.x] >> 29]++;
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}
