// Trick: Overflows the stack of the thread, which on the emulated device is a stack of the host.
// Gain: None; a crash of what runs it.
// Seen: Accidents.
// Can work on a GPU and on the emulated device.

#define OWN_CLOSURE
#include "rounds.cuh"

static __device__ __noinline__ int deep(int n) {
    volatile char pad[1024];
    pad[n & 1023] = (char)n;
    return n < 0 ? 0 : deep(n + 1) + pad[(n + 1) & 1023];
}

KERNEL void closure(distance *d, int side, int k) {
    diagonal_tile(d, side, k);
    if (deep(k) == 12345) {
        d[1] = 0;
    }
}
