// The generalized blocked algorithm of Likhoded & Sipeyko (2019), with tiles of 32 x 32 or of TILE x TILE, and CalcRestBlocks by one
// thread an element, or by REST_THREADS, which are 64.

#ifndef TILE
#define TILE 32
#endif

#include "generalized_blocked.cuh"

#ifdef REST_THREADS
#include "rest_blocks_by_64.cuh"
#else
#include "rest_blocks.cuh"
#endif
