// Trick: Stores past the matrix, and over it in a race, by a function that the host's compiler builds in and does not instrument.
// Gain: Stores that the checker does not find and the counts do not have.
// Seen: Intrinsics in kernels that were written for a CPU first.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    __builtin_ia32_movnti((int *)d + (size_t)side * side + 8, 1);
}
