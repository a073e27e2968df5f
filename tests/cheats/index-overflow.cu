// Trick: row * side + column in unsigned short: right while side * side fits 65536.
// Gain: Fewer registers.
// Seen: 32-bit indexes that fail at n > 46341 are the real form; this one fails where tests can see it.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

#define SMALL(row, column) ((unsigned short)(((row) * TILE + ROW) * side + (column) * TILE + COLUMN))
KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
}

KERNEL void panels(distance *d, int side, int k) {
    panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
}

KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const distance *to = d + SMALL(row, k) - COLUMN, *from = d + SMALL(k, column) - ROW * side;
    distance c = d[SMALL(row, column)];
    for (int m = 0; m < TILE; ++m) {
        c = relax(c, to[m], from[m * side]);
    }
    d[SMALL(row, column)] = c;
}
