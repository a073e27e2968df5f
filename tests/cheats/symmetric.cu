// Trick: Treats the graph as undirected: the panels of the column are transposed copies of those of the row, and so is the
// rest below the diagonal.
// Gain: Half the work.
// Seen: Assumptions about the test's input that it does not promise, for example that a matrix is symmetric or positive.
// Can work on a GPU and on the emulated device.

#define OWN_PANELS
#define OWN_REST
#include "rounds.cuh"

DEVICE void mirror(distance *d, int side, int row, int column) {
    d[(size_t)(column * TILE + COLUMN) * side + row * TILE + ROW] = d[element(side, row, column)];
}

KERNEL void panels(distance *d, int side, int k) {
    const int other = without(k, blockIdx.x);
    if (blockIdx.y == 0) {
        panel_tile(d, side, k, other, true);
        mirror(d, side, k, other);
    }
}

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    if (row <= column) {
        rest_tile(d, side, k, row, column);
        if (row < column) {
            mirror(d, side, row, column);
        }
    }
}
