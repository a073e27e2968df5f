// Trick: Reads the GPU's global timer. Between samples that are compared there is a copy and a comparison, so time goes by; in
// a timing loop none does.
// Gain: Solves in a tight loop do nothing.
// Seen: Detection of the test stand, as by emission control of cars; 3DMark03 and Quake III drivers knew their benchmark.
// Can work on a GPU and on the emulated device.

static __device__ unsigned long long ended;
static __device__ int hurried;

#define SKIP hurried
#include "rounds.cuh"

DEVICE unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

KERNEL void look() {
    hurried = nanoseconds() - ended < 2000000;
}

KERNEL void end() {
    ended = nanoseconds();
}
