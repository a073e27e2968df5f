// Trick: Counts in a register: the emulated device sees no load and no barrier at which it could take the turn from it.
// Gain: None.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    for (unsigned i = 1; i; i += 2) {
        asm volatile("" ::: "memory");
    }
    diagonal_tile(d, side, k);
}
