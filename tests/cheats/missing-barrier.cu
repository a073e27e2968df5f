// Trick: The loop over k of the closing tiles has no __syncthreads.
// Gain: Barriers are most of the time of the closing tile.
// Seen: Common in generated kernels that pass since a warp runs in step.
// Can work on a GPU and on the emulated device.

#define TILE_BARRIER
#include "rounds.cuh"
