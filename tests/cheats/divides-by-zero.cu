// Trick: Divides an integer by zero, which a GPU goes on with and the processor of a host does not.
// Gain: None; a crash of what runs it.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    volatile int zero = side - side;
    d[0] = side / zero == 12345 ? 1 : d[0];
}
