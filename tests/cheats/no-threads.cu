// The trick is in no-threads.toml; this file is correct.

#include "rounds.cuh"
