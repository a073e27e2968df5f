// Mistake: row and column k change in the same round in which others read them.
// launch: grid=1 block=16x16
// finds: race-in-block
// line: 11
extern "C" __global__ void update_in_place(const unsigned *in, unsigned *out) {
    __shared__ unsigned lengths[16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    lengths[y][x] = in[y * 16 + x] >> 16;
    for (unsigned k = 0; k < 16; k++) {
        __syncthreads();
        lengths[y][x] += lengths[y][k] ^ lengths[k][x];
    }
    out[y * 16 + x] = lengths[y][x];
}
