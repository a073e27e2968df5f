// The trick is in name-empty.toml; this file is correct.

#include "rounds.cuh"
