// The trick is in script-array-bomb.toml; this file is correct.

#include "rounds.cuh"
