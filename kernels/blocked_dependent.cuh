// The first two kernels of a round of the blocked algorithm, as Lund & Smith (2010), sections 3.2 and 3.3, Figure 2, describe
// it: 32 x 32 tiles, 256 threads a block, every tile that a block needs in shared memory.
//
// Those who include this define:
//
//   TILE          the tile size: the run-time parameter, or the constant
//   QUOTIENT(e)   the row of element e of a tile: a division by the run-time tile size, or a shift
//   REMAINDER(e)  its column: a modulus, or a mask
//   LOOP          in front of every loop: rolled, or unrolled
//
// d is row-major with rows of `pitch` distances, a multiple of the tile size. The tile size is at most 32 and its square a
// multiple of the threads a block.

#pragma once

#include "repro.cuh"

// More than the paper's where those who include this say so.
#ifndef THREADS
#define THREADS 256
#endif
// Those of the largest tile, for which shared memory is declared.
#ifndef MOST_ELEMENTS
#define MOST_ELEMENTS (32 * 32)
#endif
// Every thread owns the same number of elements of a tile; neighbouring threads own neighbouring elements.
#define FOR_EACH_OWN_ELEMENT(e) \
    LOOP for (int own = 0, e = threadIdx.x; own < TILE * TILE / THREADS; ++own, e += THREADS)

static __device__ __forceinline__ size_t element(int tile_row, int tile_column, int e, int pitch, int tile) {
    return (size_t)(tile_row * TILE + QUOTIENT(e)) * pitch + (tile_column * TILE + REMAINDER(e));
}

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
