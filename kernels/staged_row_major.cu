// Staged Load before the layout is changed: Lund & Smith (2010), section 4.2, stages of four k from row-major tiles. Shared
// memory has no bank conflicts, but a stage's four columns are 32 runs of 16 bytes in global memory: not coalesced, which
// is why section 4.3 goes on to the doubly tiled layout.

#define OWNERS 64
#define STAGE 4

#include "row_major_registers.cuh"
