// Each warp transposes its own tile in shared memory: lanes wait for lanes, never for other warps.
// launch: grid=1 block=128
extern "C" __global__ void transpose_in_warp(const unsigned *in, unsigned *out) {
    __shared__ unsigned tiles[4][32 * 8];
    unsigned *tile = tiles[threadIdx.x / 32];
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x / 32 * 256;
    for (unsigned k = 0; k < 8; k++) tile[k * 32 + lane] = in[first + k * 32 + lane];
    __syncwarp();
    for (unsigned k = 0; k < 8; k++) out[first + lane * 8 + k] = tile[k * 32 + lane];
    for (unsigned k = 0; k < 8; k++) out[2048 + first + k * 32 + lane] = tile[lane * 8 + k];
}
