// Trick: Undefined in CUDA: it may pass, with partly stored tiles, or hang for ever.
// Gain: None.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    if (threadIdx.x < 40) {
        __syncthreads();
    }
}
