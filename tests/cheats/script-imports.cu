// The trick is in script-imports.toml; this file is correct.

#include "rounds.cuh"
