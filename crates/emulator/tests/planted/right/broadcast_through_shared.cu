// One thread writes, all read; a second barrier keeps the next value away from slow readers.
// launch: grid=1 block=96
extern "C" __global__ void broadcast_through_shared(const unsigned *in, unsigned *out) {
    __shared__ unsigned pivot;
    unsigned sum = in[threadIdx.x];
    for (unsigned k = 0; k < 8; k++) {
        if (threadIdx.x == k * 11) pivot = sum;
        __syncthreads();
        const unsigned value = pivot;
        __syncthreads();
        sum = sum * 3 + value;
    }
    out[threadIdx.x] = sum;
}
