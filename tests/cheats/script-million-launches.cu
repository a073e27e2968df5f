// The trick is in script-million-launches.toml; this file is correct.

#include "rounds.cuh"
