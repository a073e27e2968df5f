// Trick: Calls a function at address zero.
// Gain: None; a crash of what runs it.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    int (*volatile none)(int) = nullptr;
    d[0] = none(side) == 12345 ? 1 : d[0];
}
