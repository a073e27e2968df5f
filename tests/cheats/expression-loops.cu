// The trick is in expression-loops.toml; this file is correct.

#include "rounds.cuh"
