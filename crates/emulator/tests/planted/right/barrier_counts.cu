// __syncthreads_count and __syncthreads_and are barriers too: they order the exchange.
// launch: grid=1 block=96
extern "C" __global__ void barrier_counts(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[96];
    values[threadIdx.x] = in[threadIdx.x];
    const int odd = __syncthreads_count(in[threadIdx.x] & 1);
    unsigned sum = values[95 - threadIdx.x] + odd;
    const int all = __syncthreads_and(sum != 0);
    values[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] = values[(threadIdx.x + 5) % 96] + all;
}
