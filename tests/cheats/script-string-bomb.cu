// The trick is in script-string-bomb.toml; this file is correct.

#include "rounds.cuh"
