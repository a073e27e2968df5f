// Trick: Static memory that no scratch_bytes declares.
// Gain: None; memory that is not counted as scratch.
// Seen: Imagined.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

__device__ char big[1ull << 38];

KERNEL void fill(int) {
    big[(1ull << 38) - 1] = 1;
}
