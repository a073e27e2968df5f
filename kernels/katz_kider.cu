// Katz & Kider as Lund & Smith (2010), section 5 and Table 1, measured it: blocked, not hand-optimized. Indexes come from
// division and modulus by a tile size known only at run time, and no loop is unrolled.

#define TILE tile
#define QUOTIENT(e) ((e) / tile)
#define REMAINDER(e) ((e) % tile)
#define LOOP _Pragma("unroll 1")

#include "blocked_three_tiles.cuh"
