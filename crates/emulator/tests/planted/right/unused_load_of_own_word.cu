// Every thread loads what it alone stores, before and behind a barrier, and drops it.
// launch: grid=1 block=64
extern "C" __global__ void unused_load_of_own_word(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned before = values[threadIdx.x];
    __syncthreads();
    const unsigned behind = values[threadIdx.x ^ 33];
    out[threadIdx.x] = in[threadIdx.x] + 2;
}
