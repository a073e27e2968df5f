// Katz & Kider as Gaioso et al. (2013), section VI, found it fastest: blocks of 32 x 32 threads, one element each. Otherwise as
// `katz_kider.cu`.

#define THREADS 1024
#define TILE tile
#define QUOTIENT(e) ((e) / tile)
#define REMAINDER(e) ((e) % tile)
#define LOOP _Pragma("unroll 1")

#include "blocked_three_tiles.cuh"
