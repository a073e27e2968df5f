// Trick: kernels/repro.cuh declares intended races with emulated_lowering_store. Here two blocks store different values to one
// element, each declared.
// Gain: Races that the checker lets be.
// Seen: Suppression files of sanitizers.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

/// Two blocks a tile: each takes half of the k and stores what it has.
KERNEL void rest(distance *d, int side, int k) {
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    distance c = d[at];
    for (int m = blockIdx.z * TILE / 2; m < ((int)blockIdx.z + 1) * TILE / 2; ++m) {
        c = relax(c, d[element(side, row, k) - COLUMN + m], d[element(side, k, column) - (size_t)ROW * side + (size_t)m * side]);
    }
#ifdef REPRO_EMULATED
    emulated_lowering_store(&d[at]);
#endif
    d[at] = c;
}
