// Trick: The loop over a tile's k ends one early in the rest.
// Gain: 1 / tile of the time; in dense graphs hardly a distance changes.
// Seen: Off-by-one.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    __shared__ distance to[THREADS];
    __shared__ distance from[THREADS];
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    to[threadIdx.x] = d[element(side, row, k)];
    from[threadIdx.x] = d[element(side, k, column)];
    distance c = d[at];
    __syncthreads();
    for (int m = 0; m < TILE - 1; ++m) {
        c = relax(c, to[ROW * TILE + m], from[m * TILE + COLUMN]);
    }
    d[at] = c;
}
