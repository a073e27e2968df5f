// The step between Katz & Kider and Optimized & Blocked: Lund & Smith (2010), section 4, first round of improvements, its less
// expensive instructions alone. Bit shifts by a constant tile size in place of division and modulus; no loop is unrolled.

#define TILE 32
#define QUOTIENT(e) ((e) >> 5)
#define REMAINDER(e) ((e) & 31)
#define LOOP _Pragma("unroll 1")

#include "blocked_three_tiles.cuh"
