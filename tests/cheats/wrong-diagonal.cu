// Trick: Leaves a large number on the diagonal, which many checks skip since it is known to be 0.
// Gain: None by itself; kernels that use the diagonal's place for flags are simpler.
// Seen: Imagined.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void spoil(distance *d, int side) {
    if (blockIdx.x == blockIdx.y && ROW == COLUMN) {
        d[own_element(side)] = 12345;
    }
}
