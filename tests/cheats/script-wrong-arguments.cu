// The trick is in script-wrong-arguments.toml; this file is correct.

#include "rounds.cuh"
