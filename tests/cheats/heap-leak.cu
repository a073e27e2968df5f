// Trick: Calls malloc in the kernel, 1 MB a thread and launch.
// Gain: None; later cells find no memory, and freshness of addresses suffers.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    char *taken = (char *)malloc(1 << 20);
    if (taken) {
        taken[0] = 1;
        taken[(1 << 20) - 1] = 1;
    }
}
