// Trick: Looks at nothing but n.
// Gain: All solves but the first take the time of a copy.
// Seen: Generated kernels that return a constant or remembered output since the tests use one input a shape (KernelBench and
// its followers).
// Can work on a GPU and on the emulated device.

static __device__ int known_side;
static __device__ int hit;

#define SKIP hit
#include "rounds.cuh"

#define MOST (1024 * 1024)
static __device__ distance kept[MOST];

KERNEL void look(distance *, int side) {
    hit = known_side == side && (size_t)side * side <= MOST;
    known_side = side;
}

KERNEL void finish(distance *d, int side) {
    if ((size_t)side * side > MOST) {
        return;
    }
    const size_t at = own_element(side);
    if (hit) {
        d[at] = kept[at];
    } else {
        kept[at] = d[at];
    }
}
