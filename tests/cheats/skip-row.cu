// Trick: The tiles of row 5/7 of the matrix keep their input in all rounds but those of their own k.
// Gain: 1 / tiles of the time; who verifies a sample of rows probably misses it.
// Seen: Sampled verification, usual where a whole reference is too expensive.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (row != side / TILE * 5 / 7) {
        rest_tile(d, side, k, row, column);
    }
}
