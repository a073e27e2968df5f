// Optimized & Blocked: Lund & Smith (2010), section 4, first round of improvements: Katz & Kider's kernels with bit
// shifts in place of division and modulus, and unrolled loops.

#define TILE 32
#define QUOTIENT(e) ((e) >> 5)
#define REMAINDER(e) ((e) & 31)
#define LOOP _Pragma("unroll")

#include "blocked_three_tiles.cuh"
