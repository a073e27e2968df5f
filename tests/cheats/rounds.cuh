// The three kernels of a round, correct as long as SKIP is not defined. SKIP is an expression of d, side and k: where it holds,
// the kernel returns at once.
#pragma once

#include "blocked.cuh"

#ifndef SKIP
#define SKIP false
#endif

#ifndef OWN_CLOSURE
KERNEL void closure(distance *d, int side, int k) {
    if (SKIP) {
        return;
    }
    diagonal_tile(d, side, k);
}
#endif

/// blockIdx.y = 0: tiles of row k; 1: of column k.
#ifndef OWN_PANELS
KERNEL void panels(distance *d, int side, int k) {
    if (SKIP) {
        return;
    }
    panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
}
#endif

#ifndef OWN_REST
KERNEL void rest(distance *d, int side, int k) {
    if (SKIP) {
        return;
    }
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
}
#endif
