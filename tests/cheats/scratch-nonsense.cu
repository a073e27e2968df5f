// The trick is in scratch-nonsense.toml; this file is correct.

#include "rounds.cuh"
