// The trick is in script-path-kernel.toml; this file is correct.

#include "rounds.cuh"
