// The blocked algorithm of Katz & Kider with three tiles in shared memory, as Lund & Smith (2010), sections 3.2 and 3.3,
// Figure 2, describe it. The text of `katz_kider.cu`, `katz_kider_shifts.cu` and `optimized_blocked.cu` alike, so that they
// differ in exactly what they define for `blocked_dependent.cuh`.

#include "blocked_dependent.cuh"

/// All other tiles, one block a tile; k is innermost, since nothing in the tile depends on the tile itself.
KERNEL void __launch_bounds__(THREADS) doubly_dependent(distance *d, int pitch, int round, int tile) {
    __shared__ distance c[MOST_ELEMENTS];
    __shared__ distance to[MOST_ELEMENTS];
    __shared__ distance from[MOST_ELEMENTS];
    const int tile_row = skip_round(blockIdx.y, round);
    const int tile_column = skip_round(blockIdx.x, round);
    FOR_EACH_OWN_ELEMENT(e) {
        c[e] = d[element(tile_row, tile_column, e, pitch, tile)];
        to[e] = d[element(tile_row, round, e, pitch, tile)];
        from[e] = d[element(round, tile_column, e, pitch, tile)];
    }
    __syncthreads();
    FOR_EACH_OWN_ELEMENT(e) {
        LOOP for (int k = 0; k < TILE; ++k) {
            c[e] = relax(c[e], to[QUOTIENT(e) * TILE + k], from[k * TILE + REMAINDER(e)]);
        }
    }
    FOR_EACH_OWN_ELEMENT(e) {
        d[element(tile_row, tile_column, e, pitch, tile)] = c[e];
    }
}
