// The trick is in script-does-not-parse.toml; this file is correct.

#include "rounds.cuh"
