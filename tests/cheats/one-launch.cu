// Trick: Every block runs all rounds on its tile while the others are somewhere; three sweeps repair most.
// Gain: No launches and no order.
// Seen: Persistent kernels without a grid barrier.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

KERNEL void sweep(distance *d, int side) {
    for (int k = 0; k < side / TILE; ++k) {
        rest_tile(d, side, k, blockIdx.y, blockIdx.x);
        __syncthreads();
    }
}
