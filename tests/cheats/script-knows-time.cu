// The trick is in script-knows-time.toml; this file is correct.

#include "rounds.cuh"
