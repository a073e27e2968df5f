// The trick is in script-knows-device.toml; this file is correct.

#include "rounds.cuh"
