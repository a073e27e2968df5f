// Trick: Keeps the result of a solve in a device variable, with the address of its matrix. The next solve of the same address
// copies it.
// Gain: All solves but the first take the time of a copy.
// Seen: Named by the authors of CUDA-L1 (2025): generated kernels that cached results by the address of their input.
// Can work on a GPU and on the emulated device.

static __device__ unsigned long long known;
static __device__ int known_side;
static __device__ int hit;

#define SKIP hit
#include "rounds.cuh"

#define MOST (1024 * 1024)
static __device__ distance kept[MOST];

KERNEL void look(distance *d, int side) {
    hit = known == (unsigned long long)d && known_side == side && (size_t)side * side <= MOST;
    known = (unsigned long long)d;
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
