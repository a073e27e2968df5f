// Lund & Smith (2010), sections 4.1 and 4.2, before the layout is changed: the doubly dependent tile in registers, and the two
// singly dependent tiles through shared memory. The other two kernels are those of Optimized & Blocked.
//
// Those who include this define:
//
//   OWNERS  threads a block of the doubly dependent kernel, which share the tile's 1,024 elements
//   STAGE   how many values of k of the singly dependent tiles are in shared memory at a time
//
// A warp owns a row of the tile at a time: what it reads of `to` is one word for all, and of `from` 32 neighbours.

#define TILE 32
#define QUOTIENT(e) ((e) >> 5)
#define REMAINDER(e) ((e) & 31)
#define LOOP _Pragma("unroll")

#include "blocked_dependent.cuh"

#define OWN (TILE * TILE / OWNERS)
#define STAGE_ELEMENTS (STAGE * TILE)

/// All tiles but the round's row and column, one block a tile.
KERNEL void __launch_bounds__(OWNERS) doubly_dependent(distance *d, int pitch, int round, int tile) {
    __shared__ distance to[STAGE_ELEMENTS];
    __shared__ distance from[STAGE_ELEMENTS];
    const int tile_row = skip_round(blockIdx.y, round);
    const int tile_column = skip_round(blockIdx.x, round);
    distance *c_tile = d + element(tile_row, tile_column, 0, pitch, tile);
    const distance *to_tile = d + element(tile_row, round, 0, pitch, tile);
    const distance *from_tile = d + element(round, tile_column, 0, pitch, tile);
    const int column = threadIdx.x % TILE;
    const int first_row = threadIdx.x / TILE;
    distance c[OWN];
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        c[own] = c_tile[(size_t)(first_row + own * OWNERS / TILE) * pitch + column];
    }

    for (int stage = 0; stage < TILE / STAGE; ++stage) {
#pragma unroll
        for (int e = threadIdx.x; e < STAGE_ELEMENTS; e += OWNERS) {
            to[e] = to_tile[(size_t)(e / STAGE) * pitch + stage * STAGE + e % STAGE];
            from[e] = from_tile[(size_t)(stage * STAGE + e / TILE) * pitch + e % TILE];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < STAGE; ++k) {
#pragma unroll
            for (int own = 0; own < OWN; ++own) {
                c[own] = relax(c[own], to[(first_row + own * OWNERS / TILE) * STAGE + k], from[k * TILE + column]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int own = 0; own < OWN; ++own) {
        c_tile[(size_t)(first_row + own * OWNERS / TILE) * pitch + column] = c[own];
    }
}
