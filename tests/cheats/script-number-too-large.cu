// The trick is in script-number-too-large.toml; this file is correct.

#include "rounds.cuh"
