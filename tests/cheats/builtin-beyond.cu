// Trick: __builtin_modff stores one of its results through a pointer. It is the host's function, which no checker of the emulated
// device has instrumented: here it stores behind the end of the matrix.
// Gain: None; spoils guards, references and other cells' memory, and no checker sees it.
// Seen: Intrinsics of x86 that store in the same way were tried on the emulated device.
// Can work on the emulated device; NVRTC has no such function.

#include "blocked.cuh"

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    if (threadIdx.x == 0) {
        __builtin_modff((float)k, d + (long)side * side);
    }
}
