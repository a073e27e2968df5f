// The trick is in name-kernel-file.toml; this file is correct.

#include "rounds.cuh"
