// Staged Load without the cyclic order of k: Lund & Smith (2010), section 4.3, before its last step. On 16 banks, which
// broadcast one word a step, the four threads that want each of four words wait for each other.

#define THREADS 64
#define FIRST_K(i, j) 0

#include "staged_load.cuh"
