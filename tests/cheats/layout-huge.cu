// The trick is in layout-huge.toml; this file is correct.

#include "rounds.cuh"
