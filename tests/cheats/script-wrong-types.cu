// The trick is in script-wrong-types.toml; this file is correct.

#include "rounds.cuh"
