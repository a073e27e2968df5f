// The trick is in layout-lie.toml; this file is correct.

#include "rounds.cuh"
