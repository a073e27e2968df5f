// Row and column k never change in round k, since the diagonal is zero and only a shorter path is written.
// launch: grid=1 block=16x16
extern "C" __global__ void floyd_warshall_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = x == y ? 0 : in[y * 16 + x] >> 16;
    for (unsigned k = 0; k < 16; k++) {
        __syncthreads();
        const unsigned path = lengths[y][k] + lengths[k][x];
        if (path < lengths[y][x]) lengths[y][x] = path;
    }
    out[y * 16 + x] = lengths[y][x];
}
