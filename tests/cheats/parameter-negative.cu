// The trick is in parameter-negative.toml; this file is correct.

#include "rounds.cuh"
