// The trick is in script-prints.toml; this file is correct.

#include "rounds.cuh"
