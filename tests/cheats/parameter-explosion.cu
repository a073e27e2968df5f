// The trick is in parameter-explosion.toml; this file is correct.

#include "rounds.cuh"
