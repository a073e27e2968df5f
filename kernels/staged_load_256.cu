// Staged Load with the 256 threads a block, four elements each, that Lund & Smith (2010), section 4, changed from: whatever the
// 64 threads of `staged_load.cu` gain or lose by themselves lies between the two.

#define THREADS 256
#define FIRST_K(i, j) ((i) + (j))

#include "staged_load.cuh"
