// The trick is in cubin-on-emulated.toml; this file is correct.

#include "rounds.cuh"
