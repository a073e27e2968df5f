// The trick is in nothing-when-small.toml; this file is correct.

#include "rounds.cuh"
