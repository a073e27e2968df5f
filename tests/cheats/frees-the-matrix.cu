// Trick: solves, and then gives the matrix to free(), which takes what a kernel's malloc() has made and nothing else.
// Gain: Memory of the harness that is allocated anew for something else while it still uses it.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0) {
        free(d);
    }
}
