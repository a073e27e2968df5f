// The trick is in text-html.toml; this file is correct.

#include "rounds.cuh"
