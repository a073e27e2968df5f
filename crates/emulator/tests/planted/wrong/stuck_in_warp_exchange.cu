// Mistake: a warp waits for a word that the other warp writes only after a barrier with the first one.
// launch: grid=1 block=64
// finds: stuck
// line: 10 11
extern "C" __global__ void stuck_in_warp_exchange(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (ready == 0) {}
    __syncthreads();
    if (threadIdx.x == 32) ready = 1;
    out[threadIdx.x] = in[threadIdx.x];
}
