// The trick is in kernel-names-odd.toml; this file is correct.

#include "rounds.cuh"
