// Which elements of a square tile the threads of a block own, and where they lie in a row-major matrix.
//
// Those who include this define:
//
//   TILE          the tile size: the run-time parameter, or the constant
//   QUOTIENT(e)   the row of element e of a tile: a division by the run-time tile size, or a shift
//   REMAINDER(e)  its column: a modulus, or a mask
//   LOOP          in front of every loop: rolled, or unrolled

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

/// The element of this thread in a tile with as many elements as the block has threads.
static __device__ __forceinline__ distance *own_element(distance *d, int tile_row, int tile_column, int pitch, int tile) {
    const int row = tile_row * TILE + QUOTIENT(threadIdx.x);
    return d + (size_t)row * pitch + tile_column * TILE + (unsigned)REMAINDER(threadIdx.x);
}
