// The trick is in layout-zero.toml; this file is correct.

#include "rounds.cuh"
