// Trick: As static-constructor, with an endless loop.
// Gain: None; hangs whatever loads it without a limit.
// Seen: Imagined.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"

extern "C" __device__ void at_load() {
    for (volatile int i = 0;; i = i + 1) {
    }
}

typedef void (*Entry)();
extern __device__ const Entry entry __attribute__((section(".init_array"), used));
__device__ const Entry entry = at_load;
