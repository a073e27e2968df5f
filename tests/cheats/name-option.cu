// The trick is in name-option.toml; this file is correct.

#include "rounds.cuh"
