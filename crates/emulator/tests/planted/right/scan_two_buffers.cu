// Hillis and Steele's scan goes back and forth between two buffers, one barrier a step.
// launch: grid=2 block=128
extern "C" __global__ void scan_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[2][128];
    const unsigned thread = threadIdx.x;
    int from = 0;
    sums[0][thread] = in[blockIdx.x * 128 + thread];
    for (unsigned step = 1; step < 128; step *= 2) {
        __syncthreads();
        sums[from ^ 1][thread] = sums[from][thread] + (thread >= step ? sums[from][thread - step] : 0);
        from ^= 1;
    }
    out[blockIdx.x * 128 + thread] = sums[from][thread];
}
