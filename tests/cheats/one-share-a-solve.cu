// Trick: Solve number s does the rounds k with k % 4 = s % 4, so that four solves in place without a restore add up to a rough
// closure.
// Gain: A quarter of the time, if the harness solves one buffer again and again without restoring it.
// Seen: As every-second, spread evenly so that no sample looks odd.
// Can work on a GPU and on the emulated device.

static __device__ int solves;

#define SKIP (k % 4 != solves % 4)
#include "rounds.cuh"

KERNEL void count() {
    solves += 1;
}
