// The trick is in script-four-dimensions.toml; this file is correct.

#include "rounds.cuh"
