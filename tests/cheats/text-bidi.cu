// The trick is in text-bidi.toml; this file is correct.

#include "rounds.cuh"
