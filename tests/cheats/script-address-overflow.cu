// The trick is in script-address-overflow.toml; this file is correct.

#include "rounds.cuh"
