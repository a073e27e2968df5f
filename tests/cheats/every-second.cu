// Trick: Counts the solves in a device variable; odd ones return at once.
// Gain: Half the time, wherever the mean or the least of several solves counts and one of them is checked.
// Seen: Competitions for GPU kernels: a submission did the work of all calls of the timing loop in one of them and none in the
// others.
// Can work on a GPU and on the emulated device.

static __device__ int solves;

#define SKIP (solves % 2 == 1)
#include "rounds.cuh"

KERNEL void count() {
    solves += 1;
}
