// The trick is in expression-launches.toml; this file is correct.

#include "rounds.cuh"
