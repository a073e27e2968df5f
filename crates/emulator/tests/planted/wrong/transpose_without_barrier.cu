// Mistake: columns are read while other warps still write their rows.
// launch: grid=1 block=32x8
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void transpose_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}
