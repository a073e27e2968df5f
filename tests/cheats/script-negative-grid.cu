// The trick is in script-negative-grid.toml; this file is correct.

#include "rounds.cuh"
