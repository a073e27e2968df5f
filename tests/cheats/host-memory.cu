// Trick: Maps memory and touches it.
// Gain: None; the kernel of the system may end another process in its place.
// Seen: Out-of-memory killers that hit the wrong process.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

__attribute__((no_sanitize("thread"))) static __device__ void touch(char *piece) {
    for (size_t at = 0; at < 1ul << 30; at += 4096) {
        *(volatile char *)(piece + at) = 1;
    }
}

KERNEL void strike(distance *, int side) {
    for (int i = 0; side > 0 && i < 6; ++i) {
        char *piece = (char *)mmap(0, 1ul << 30, 3, 0x22, -1, 0);
        if (piece != (char *)-1) {
            touch(piece);
        }
    }
}
