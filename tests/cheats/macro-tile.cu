// Trick: The sweep believes that it measures tiles of 32; the source has tiles of 16 whatever it is told, and the grid covers
// a quarter of the matrix.
// Gain: A quarter of the work at tile = 32.
// Seen: CUDA-L1 (2025): changed hyperparameters.
// Can work on a GPU and on the emulated device.

#undef TILE
#define TILE 16
#include "rounds.cuh"
