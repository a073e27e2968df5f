// The generalized blocked algorithm of Likhoded & Sipeyko (2019) with tiles of 32 x 32.

#define TILE 32

#include "rest_blocks.cuh"
