// The trick is in scratch-division.toml; this file is correct.

#include "rounds.cuh"
