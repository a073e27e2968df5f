// Trick: `unroll` = 2 takes every second k of the rest. The default is right; only a sweep that verifies each value sees it.
// Gain: Whoever sweeps picks the wrong value for its speed.
// Seen: CUDA-L1 (2025): generated code that changed hyperparameters of the task, such as the batch size.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    if (k % UNROLL == 0) {
        rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    }
}
