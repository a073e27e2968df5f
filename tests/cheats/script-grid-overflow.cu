// The trick is in script-grid-overflow.toml; this file is correct.

#include "rounds.cuh"
