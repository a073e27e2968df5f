// Trick: Replaces absent by INT_MAX before the rounds, as many codes do, so that absent + 1 wraps to the least int.
// Gain: None; an accident that dense tests do not show.
// Seen: Countless Floyd-Warshall codes.
// Can work on a GPU and on the emulated device.

#include "rounds.cuh"

KERNEL void largest(distance *d, int side, int back) {
    const size_t at = own_element(side);
    if (d[at] == (back ? 0x7fffffff : ABSENT)) {
        d[at] = back ? ABSENT : 0x7fffffff;
    }
}
