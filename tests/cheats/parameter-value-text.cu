// The trick is in parameter-value-text.toml; this file is correct.

#include "rounds.cuh"
