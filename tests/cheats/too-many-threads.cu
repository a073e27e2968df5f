// The trick is in too-many-threads.toml; this file is correct.

#include "rounds.cuh"
