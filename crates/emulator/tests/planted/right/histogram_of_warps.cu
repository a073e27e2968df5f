// Every warp counts in bins of its own, and every lane in a column of its own: no atomics are needed.
// launch: grid=1 block=64
extern "C" __global__ void histogram_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned char bins[16][64];
    for (int bin = 0; bin < 16; bin++) bins[bin][threadIdx.x] = 0;
    for (unsigned i = threadIdx.x; i < 4096; i += 64) bins[in[i] >> 28][threadIdx.x]++;
    __syncthreads();
    if (threadIdx.x < 16) {
        unsigned sum = 0;
        for (int column = 0; column < 64; column++) sum += bins[threadIdx.x][column];
        out[threadIdx.x] = sum;
    }
}
