// The trick is in tasks-lie.toml; this file is correct.

#include "rounds.cuh"
