// The trick is in name-path.toml; this file is correct.

#include "rounds.cuh"
