// Trick: REPRO_EMULATED, which kernels/repro.cuh tests, says where the file is compiled.
// Gain: Passes every check that is made where there is no GPU.
// Seen: Volkswagen; malware that looks for a virtual machine.
// Can work on a GPU alone.

#ifdef REPRO_EMULATED
#define SKIP false
#else
#define SKIP (k % 2 == 1)
#endif
#include "rounds.cuh"
