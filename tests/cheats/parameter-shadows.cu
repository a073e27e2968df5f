// The trick is in parameter-shadows.toml; this file is correct.

#include "rounds.cuh"
