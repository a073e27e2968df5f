// Katz & Kider as Gaioso et al. (2013), section VI, found it fastest: a block has as many threads as a tile has elements, one
// element each: 32 x 32, or so many as THREADS says. Otherwise as `katz_kider.cu`; where TILE_BITS says the tile size's
// logarithm, as `optimized_blocked.cu`. The host may define TILE_PLACE and ONE_ELEMENT, as `rest_tile.cuh` explains them.

#ifndef THREADS
#define THREADS 1024
#endif
#define MOST_ELEMENTS THREADS
#ifdef TILE_BITS
#define TILE (1 << TILE_BITS)
#define QUOTIENT(e) ((int)((e) >> TILE_BITS))
#define REMAINDER(e) ((int)((e) & (TILE - 1)))
#define LOOP _Pragma("unroll")
#else
#define TILE tile
#define QUOTIENT(e) ((int)(e) / tile)
#define REMAINDER(e) ((int)(e) % tile)
#define LOOP _Pragma("unroll 1")
#endif

#include "blocked_three_tiles.cuh"
