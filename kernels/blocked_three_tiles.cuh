// The blocked algorithm of Katz & Kider with three tiles in shared memory, as Lund & Smith (2010), sections 3.2 and 3.3,
// Figure 2, describe it. The text of `katz_kider.cu`, `katz_kider_shifts.cu` and `optimized_blocked.cu` alike, so that they
// differ in exactly what they define for `blocked_dependent.cuh`.

#include "blocked_dependent.cuh"
#include "rest_tile.cuh"

/// All other tiles, one block a tile.
KERNEL void __launch_bounds__(THREADS) doubly_dependent(distance *d, int pitch, int round, int tile) {
    relax_rest_tile(d, pitch, round, tile);
}
