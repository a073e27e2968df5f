// Trick: __TIME__ decides, so that a source of one hash is many kernels.
// Gain: Half the rounds in odd seconds of compilation.
// Seen: Non-reproducible builds.
// Can work on a GPU and on the emulated device.

#define SKIP ((__TIME__[7] & 1) && k % 2 == 1)
#include "rounds.cuh"
