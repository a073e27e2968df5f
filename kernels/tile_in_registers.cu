// The step between Optimized & Blocked and Staged Load in which only the tile moves to registers: Lund & Smith (2010),
// section 4.1. Both singly dependent tiles are in shared memory as a whole: one stage of all 32 k.

#define OWNERS 64
#define STAGE 32

#include "row_major_registers.cuh"
