// Trick: Calls abort() (strike) so that a measuring process that runs it dies, with all its other cells.
// Gain: None for itself; takes rivals along.
// Seen: Fuzzing.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    abort();
}
