// The trick is in script-second-thoughts.toml; this file is correct.

#include "rounds.cuh"
