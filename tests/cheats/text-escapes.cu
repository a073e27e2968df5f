// The trick is in text-escapes.toml; this file is correct.

#include "rounds.cuh"
