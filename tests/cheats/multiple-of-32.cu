// The trick is in multiple-of-32.toml; this file is correct.

#include "rounds.cuh"
