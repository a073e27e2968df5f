// The trick is in tasks-nonsense.toml; this file is correct.

#include "rounds.cuh"
