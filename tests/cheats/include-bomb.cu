// Trick: 2^200 inclusions, within the compiler's limit of depth.
// Gain: None; time of the preprocessor.
// Seen: Old trick against online compilers.
// Can work on a GPU and on the emulated device.

#if __INCLUDE_LEVEL__ < 150
#include __FILE__
#include __FILE__
#endif
#if __INCLUDE_LEVEL__ == 0
#include "rounds.cuh"
#endif
