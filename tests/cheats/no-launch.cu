// The trick is in no-launch.toml; this file is correct.

#include "rounds.cuh"
