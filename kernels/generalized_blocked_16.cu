// The generalized blocked algorithm of Likhoded & Sipeyko (2019) with tiles of 16 x 16.

#define TILE 16

#include "rest_blocks.cuh"
