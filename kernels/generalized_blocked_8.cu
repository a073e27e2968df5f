// The generalized blocked algorithm of Likhoded & Sipeyko (2019) with tiles of 8 x 8.

#define TILE 8

#include "rest_blocks.cuh"
