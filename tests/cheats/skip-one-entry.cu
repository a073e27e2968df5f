// Trick: The entry in row 37 % side, column 11 % side is put back to its input at the end.
// Gain: None; the least mistake that a whole comparison finds.
// Seen: As skip-row.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

static __device__ distance kept;

KERNEL void one(distance *d, int side, int after) {
    distance *entry = d + (size_t)(37 % side) * side + 11 % side;
    if (after) {
        *entry = kept;
    } else {
        kept = *entry;
    }
}
