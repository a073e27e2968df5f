// The trick is in parameter-is-macro.toml; this file is correct.

#include "rounds.cuh"
