// The trick is in script-overrides.toml; this file is correct.

#include "rounds.cuh"
