// Trick: Waits for a value that nobody writes, with a load each turn.
// Gain: None; hangs a harness, and on a GPU its driver.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    while (*(volatile distance *)(d + (size_t)side * side - 1) != 12345) {
    }
}
