// Mistake: a scan in place in which reading and writing of a step are not kept apart.
// launch: grid=1 block=128
// finds: race-in-block
// line: 10 11
extern "C" __global__ void scan_one_barrier_short(const unsigned *in, unsigned *out) {
    __shared__ unsigned sums[128];
    sums[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 1; step < 128; step *= 2) {
        __syncthreads();
        const unsigned below = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        sums[threadIdx.x] += below;
    }
    out[threadIdx.x] = sums[threadIdx.x];
}
