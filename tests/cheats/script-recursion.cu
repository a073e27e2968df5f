// The trick is in script-recursion.toml; this file is correct.

#include "rounds.cuh"
