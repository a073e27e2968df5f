// The trick is in scratch-huge.toml; this file is correct.

#include "rounds.cuh"
