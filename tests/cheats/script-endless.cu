// The trick is in script-endless.toml; this file is correct.

#include "rounds.cuh"
