// The trick is in script-address-beyond.toml; this file is correct.

#include "rounds.cuh"
