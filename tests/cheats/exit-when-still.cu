// Trick: Takes a round without an improvement for convergence, as for Bellman-Ford. Floyd-Warshall needs all rounds.
// Gain: The rest of the rounds on structured graphs; random dense graphs never show it.
// Seen: A mistake of student code as often as a trick.
// Can work on a GPU and on the emulated device.

static __device__ int still;
static __device__ int changed;

#define SKIP still
#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    if (still) {
        return;
    }
    const int row = without(k, blockIdx.y), column = without(k, blockIdx.x);
    const size_t at = element(side, row, column);
    const distance before = d[at];
    rest_tile(d, side, k, row, column);
    if (d[at] < before) {
        atomicOr(&changed, 1);
    }
}

KERNEL void judge(int round) {
    still = round > 0 && (still || !changed);
    changed = 0;
}

KERNEL void begin() {
    still = 0;
    changed = 0;
}
