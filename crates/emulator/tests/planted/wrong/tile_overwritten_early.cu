// Mistake: no barrier keeps the next round's stores away from slow readers of this round.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9 11
extern "C" __global__ void tile_overwritten_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; k++) {
        tile[threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[63 - threadIdx.x];
    }
    out[threadIdx.x] = sum;
}
