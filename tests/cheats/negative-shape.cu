// The trick is in negative-shape.toml; this file is correct.

#include "rounds.cuh"
