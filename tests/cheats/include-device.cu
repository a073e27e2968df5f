// Trick: The preprocessor reads without end, in memory.
// Gain: None; memory of the compiler, which no limit of the kernel's worker covers.
// Seen: Old trick against online compilers.
// Can work on a GPU and on the emulated device.

#include "/dev/zero"
#include "rounds.cuh"
