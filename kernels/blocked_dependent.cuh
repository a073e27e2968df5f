// The first two kernels of a round of the blocked algorithm, as Lund & Smith (2010), sections 3.2 and 3.3, Figure 2, describe
// it: 32 x 32 tiles, 256 threads a block, every tile that a block needs in shared memory.
//
// Those who include this define what `tile_elements.cuh` asks for.
//
// d is row-major with rows of `pitch` distances, a multiple of the tile size. The tile size is at most 32 and its square a
// multiple of the threads a block.

#pragma once

#include "tile_elements.cuh"

/// The round's diagonal tile, by one block: its tasks depend on each other alone.
KERNEL void __launch_bounds__(THREADS) independent(distance *d, int pitch, int round, int tile) {
    __shared__ distance c[MOST_ELEMENTS];
    FOR_EACH_OWN_ELEMENT(e) {
        c[e] = d[element(round, round, e, pitch, tile)];
    }
    LOOP for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        FOR_EACH_OWN_ELEMENT(e) {
            relax_in_place(&c[e], c[QUOTIENT(e) * TILE + k], c[k * TILE + REMAINDER(e)]);
        }
    }
    FOR_EACH_OWN_ELEMENT(e) {
        d[element(round, round, e, pitch, tile)] = c[e];
    }
}

/// The tiles in the diagonal tile's row (blockIdx.y = 0) and column (blockIdx.y = 1), one block a tile.
KERNEL void __launch_bounds__(THREADS) singly_dependent(distance *d, int pitch, int round, int tile) {
    __shared__ distance c[MOST_ELEMENTS];
    __shared__ distance diagonal[MOST_ELEMENTS];
    const int other = skip_round(blockIdx.x, round);
    const bool in_row = blockIdx.y == 0;
    const int tile_row = in_row ? round : other;
    const int tile_column = in_row ? other : round;
    FOR_EACH_OWN_ELEMENT(e) {
        diagonal[e] = d[element(round, round, e, pitch, tile)];
        c[e] = d[element(tile_row, tile_column, e, pitch, tile)];
    }
    const distance *to = in_row ? diagonal : c;
    const distance *from = in_row ? c : diagonal;
    LOOP for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        FOR_EACH_OWN_ELEMENT(e) {
            relax_in_place(&c[e], to[QUOTIENT(e) * TILE + k], from[k * TILE + REMAINDER(e)]);
        }
    }
    FOR_EACH_OWN_ELEMENT(e) {
        d[element(tile_row, tile_column, e, pitch, tile)] = c[e];
    }
}
