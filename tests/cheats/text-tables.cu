// The trick is in text-tables.toml; this file is correct.

#include "rounds.cuh"
