// Trick: Uses the device's own printf.
// Gain: None; fills logs and records.
// Seen: Forgotten debugging output.
// Can work on a GPU and on the emulated device.

#define OWN_REST
#include "rounds.cuh"

KERNEL void rest(distance *d, int side, int k) {
    rest_tile(d, side, k, without(k, blockIdx.y), without(k, blockIdx.x));
    for (int i = 0; i < 10000; ++i) {
        printf("thread %d of block %d, %d says: \033]0;owned\007 hello\n", threadIdx.x, blockIdx.x, blockIdx.y);
    }
}
