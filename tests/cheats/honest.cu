// The base that the exploits derive from: a correct blocked kernel, one tile a block and one element a thread. It must be accepted.

#include "rounds.cuh"
