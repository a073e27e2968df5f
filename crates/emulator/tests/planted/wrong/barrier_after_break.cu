// Mistake: threads that found something leave the loop, the others go on to its barrier.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 10 15 17
extern "C" __global__ void barrier_after_break(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    unsigned found = 99;
    for (unsigned k = 0; k < 8; k++) {
        values[threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
        if (values[63 - threadIdx.x] % 8 == 0) {
            found = k;
            break;
        }
        __syncthreads();
    }
    __syncthreads();
    out[threadIdx.x] = found;
}
