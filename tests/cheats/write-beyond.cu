// Trick: Right within the matrix; a word before it and the 64 behind its end are set to 0.
// Gain: None; spoils guards, references and other cells' memory.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void beyond(distance *d, int side) {
    d[(long)side * side + threadIdx.x] = 0;
    d[-1 - (int)threadIdx.x] = 0;
}
