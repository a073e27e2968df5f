// Trick: The record holds the source and its hash, but not what lies outside.
// Gain: A record that cannot be repeated, and text of other files.
// Seen: Path traversal.
// Can work on a GPU and on the emulated device.

#include "../../kernels/repro.cuh"
#undef KERNEL
#undef ABSENT
#define OWN_RELAX
#define distance other_distance
#include "rounds.cuh"
