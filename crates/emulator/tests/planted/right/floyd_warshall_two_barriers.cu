// All read row and column k before any of them is written.
// launch: grid=1 block=16x16
extern "C" __global__ void floyd_warshall_two_barriers(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][17];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = in[y * 16 + x] >> 16;
    __syncthreads();
    for (unsigned k = 0; k < 16; k++) {
        const unsigned path = min(lengths[y][x], lengths[y][k] + lengths[k][x]);
        __syncthreads();
        lengths[y][x] = path;
        __syncthreads();
    }
    out[y * 16 + x] = lengths[y][x];
}
