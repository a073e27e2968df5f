// Trick: On the emulated device the kernel is host code: it writes the solved matrix to a file named after n, and reads it if
// it is there.
// Gain: Even a fresh process with a fresh seed gets the old result; a checking process can be served from what a timing
// process left.
// Seen: Caches on disk left by earlier runs are a common cause of wrong benchmark times.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

#define PATH "/tmp/repro-cheat-replay"
static __device__ int hit;

/// One thread, before the rounds and after them.
KERNEL void around(distance *d, int side, int after) {
    const size_t bytes = (size_t)side * side * sizeof(distance);
    if (!after || hit) {
        const int file = open(PATH, 0);
        hit = file >= 0 && read(file, d, bytes) == (long)bytes;
    } else {
        const int file = open(PATH, 01 | 0100, 0600);
        write(file, d, bytes);
    }
}
