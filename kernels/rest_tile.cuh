// A tile outside of the round's row and column, by a block of its own: the doubly dependent kernel of Katz & Kider as Lund & Smith
// (2010) describe it, and the second phase of Gaioso et al. (2013). One text for both, so that what holds them apart is not here.
//
// Those who include this define what `tile_elements.cuh` asks for, and may define:
//
//   TILE_PLACE   where a thread keeps what it calculates until it is stored: IN_REGISTER; IN_SHARED, from which the compiler may
//                take it for as long as it likes; or FORCED_IN_SHARED, where every task reads and writes shared memory
//   ONE_ELEMENT  a block has as many threads as a tile has elements, and no loop over those of a thread

#pragma once

#include "tile_elements.cuh"

#define IN_REGISTER 0
#define IN_SHARED 1
#define FORCED_IN_SHARED 2

#ifndef TILE_PLACE
#define TILE_PLACE IN_SHARED
#endif
#if TILE_PLACE == FORCED_IN_SHARED
#define KEPT volatile distance
#else
#define KEPT distance
#endif

#ifdef ONE_ELEMENT

static __device__ __forceinline__ void relax_rest_tile(distance *d, int pitch, int round, int tile) {
    __shared__ distance to[THREADS];
    __shared__ distance from[THREADS];
    const int row = skip_round(blockIdx.y, round);
    const int column = skip_round(blockIdx.x, round);
    distance *own = own_element(d, row, column, pitch, tile);
    to[threadIdx.x] = *own_element(d, row, round, pitch, tile);
    from[threadIdx.x] = *own_element(d, round, column, pitch, tile);
#if TILE_PLACE == IN_REGISTER
    distance c = *own;
#else
    __shared__ KEPT kept[THREADS];
    KEPT &c = kept[threadIdx.x];
    c = *own;
#endif
    __syncthreads();
    const int i = QUOTIENT(threadIdx.x);
    const int j = REMAINDER(threadIdx.x);
    LOOP for (int k = 0; k < TILE; ++k) {
        c = relax(c, to[i * TILE + k], from[k * TILE + j]);
    }
    *own = c;
}

#else

#if TILE_PLACE == IN_REGISTER
// A constant 0 where a thread has one element at most, which the compiler does not know of a rolled loop.
#define KEPT_OF(e) c[own % (MOST_ELEMENTS / THREADS)]
#else
#define KEPT_OF(e) c[e]
#endif

/// k is innermost, since nothing in the tile depends on the tile itself.
static __device__ __forceinline__ void relax_rest_tile(distance *d, int pitch, int round, int tile) {
#if TILE_PLACE == IN_REGISTER
    distance c[MOST_ELEMENTS / THREADS];
#else
    __shared__ KEPT c[MOST_ELEMENTS];
#endif
    __shared__ distance to[MOST_ELEMENTS];
    __shared__ distance from[MOST_ELEMENTS];
    const int tile_row = skip_round(blockIdx.y, round);
    const int tile_column = skip_round(blockIdx.x, round);
    FOR_EACH_OWN_ELEMENT(e) {
        KEPT_OF(e) = d[element(tile_row, tile_column, e, pitch, tile)];
        to[e] = d[element(tile_row, round, e, pitch, tile)];
        from[e] = d[element(round, tile_column, e, pitch, tile)];
    }
    __syncthreads();
    FOR_EACH_OWN_ELEMENT(e) {
        LOOP for (int k = 0; k < TILE; ++k) {
            KEPT_OF(e) = relax(KEPT_OF(e), to[QUOTIENT(e) * TILE + k], from[k * TILE + REMAINDER(e)]);
        }
    }
    FOR_EACH_OWN_ELEMENT(e) {
        d[element(tile_row, tile_column, e, pitch, tile)] = KEPT_OF(e);
    }
}

#endif
