// Mistake: the next pivot is written while slow warps still read the one before.
// launch: grid=1 block=96
// finds: race-in-block
// line: 9 11
extern "C" __global__ void broadcast_overwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k < 8; k++) {
        if (threadIdx.x == k * 11) pivot = sum;
        __syncthreads();
        sum = sum * 3 + pivot;
    }
    out[threadIdx.x] = sum;
}
