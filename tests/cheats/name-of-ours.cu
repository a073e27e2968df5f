// The trick is in name-of-ours.toml; this file is correct.

#include "rounds.cuh"
