// Races and barriers. Each text is a file of its own, with the name of its heading.

// === divergent-barrier
// Undefined in CUDA: it may pass, with partly stored tiles, or hang for ever.
#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    if (threadIdx.x < 40) {
        __syncthreads();
    }
}

// === missing-barrier
// The loop over k of the closing tiles has no __syncthreads.
#define TILE_BARRIER
#include "rounds.cuh"

// === one-launch
// Every block runs all rounds on its tile while the others are somewhere; three sweeps repair most.
#include "blocked.cuh"

KERNEL void sweep(distance *d, int side) {
    for (int k = 0; k < side / TILE; ++k) {
        rest_tile(d, side, k, blockIdx.y, blockIdx.x);
        __syncthreads();
    }
}

// === silenced-races
// kernels/repro.cuh declares intended races with emulated_lowering_store. Here two blocks store different values to
// one element, each declared.
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
