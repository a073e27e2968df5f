// Staged Load: Lund & Smith (2010), section 4.3, with the cyclic order of k: the sixteen threads of a half-warp read sixteen
// different banks from either array.

#define THREADS 64
#define FIRST_K(i, j) ((i) + (j))

#include "staged_load.cuh"
