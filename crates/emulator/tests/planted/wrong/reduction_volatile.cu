// Mistake: volatile keeps the compiler from caching; it does not order the lanes of a warp.
// launch: grid=1 block=32
// finds: race-in-block
// line: 10 11
extern "C" __global__ void reduction_volatile(const unsigned *in, unsigned *out) {
    __shared__ volatile unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    for (unsigned step = 16; step; step /= 2) {
        const unsigned other = values[(threadIdx.x + step) & 31];
        values[threadIdx.x] = values[threadIdx.x] + other;
    }
    out[threadIdx.x] = values[threadIdx.x];
}
