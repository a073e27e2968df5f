// Trick: Neighbouring allocations of the harness are the copy of the input, or the expected result; the one behind is returned
// in place of work.
// Gain: The time of a copy.
// Seen: Sakana AI's CUDA engineer (2025): the expected result was found in the harness's memory.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

KERNEL void copy(distance *d, int side) {
    const size_t bytes = ((size_t)side * side * sizeof(distance) + 511) / 512 * 512;
    d[own_element(side)] = d[own_element(side) + bytes / sizeof(distance)];
}
