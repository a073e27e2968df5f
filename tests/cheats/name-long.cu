// The trick is in name-long.toml; this file is correct.

#include "rounds.cuh"
