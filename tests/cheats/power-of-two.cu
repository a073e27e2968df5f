// Trick: As multiple-of-32, for sizes whose pitch is a power of two: row << 31 - clz(side).
// Gain: A shift in place of a multiplication.
// Seen: Kernels for powers of two alone, as many FFTs were.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

#define side (1 << (31 - __clz(width)))
KERNEL void closure(distance *d, int width, int k) {
    diagonal_tile(d, side, k);
}

KERNEL void panels(distance *d, int width, int k) {
    panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
}

KERNEL void rest(distance *d, int width, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
}
