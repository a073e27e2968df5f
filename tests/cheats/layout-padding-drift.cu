// The trick is in layout-padding-drift.toml; this file is correct.

#include "rounds.cuh"
