// The trick is in name-nearly-ours.toml; this file is correct.

#include "rounds.cuh"
