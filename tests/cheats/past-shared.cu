// Trick: Stores behind the last shared array, where an emulator may keep threadIdx and blockIdx: threads then act as others.
// Gain: Work that is counted for one thread and done by another; accesses that no finding names rightly.
// Seen: Overflows of a buffer into what lies behind it.
// Can work on the emulated device alone.

#include "rounds.cuh"

KERNEL void strike(distance *d, int side) {
    __shared__ int last[32];
    volatile int *at = last;
    at[0] = side;
    for (int word = 32; word < 64; ++word) {
        at[word + side - at[0]] = 7;
    }
}
