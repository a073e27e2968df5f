// The step between Optimized & Blocked and Staged Load in which only the tile moves to registers: Lund & Smith (2010),
// section 4.1, still with 256 threads a block, four elements each. Section 4 changes to 64 threads without saying at which
// step; here nothing but the place of the tile differs from `optimized_blocked.cu`.

#define OWNERS 256
#define STAGE 32

#include "row_major_registers.cuh"
