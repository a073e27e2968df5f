// The trick is in script-made-up-address.toml; this file is correct.

#include "rounds.cuh"
