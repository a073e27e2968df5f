// The trick is in script-huge-grid.toml; this file is correct.

#include "rounds.cuh"
