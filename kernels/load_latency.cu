// How long a load of global memory takes that waits for the one before: chains of loads through a buffer far larger than the L2 cache.
// Pogorilyy et al. say that threads of all multiprocessors that access global memory at the same time raise its latency.

#include "repro.cuh"

// Of a line of the caches, in words: every load is of another one.
#define LINE 32

/// Links all lines, of which there are a power of two, into one cycle: the first word of each is the number of the next.
KERNEL void link_lines(unsigned *buffer, unsigned lines) {
    for (unsigned line = blockIdx.x * blockDim.x + threadIdx.x; line < lines; line += gridDim.x * blockDim.x) {
        // Goes through all numbers below a power of two, since the factor is 1 modulo 4 and the addend odd.
        buffer[(size_t)line * LINE] = (line * 1664525u + 1013904223u) & (lines - 1);
    }
}

/// Each thread follows `steps` links from a line of its own, with another `first` from another one. Only block `alone` does, or every
/// block where there is none of that number: as many blocks as the GPU has multiprocessors lie on one each, and a block alone does not
/// say which it lies on. sink: one word, written only for a line that never comes; it keeps the compiler from dropping the loads.
KERNEL void follow_lines(unsigned *sink, const unsigned *buffer, unsigned lines, int steps, unsigned first,
                         unsigned never, unsigned alone) {
    if (alone < gridDim.x && alone != blockIdx.x) {
        return;
    }
    // An odd factor: no two threads begin at one line.
    unsigned line = ((blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + first) & (lines - 1);
    for (int step = 0; step < steps; ++step) {
        line = buffer[(size_t)line * LINE];
    }
    if (line == never) {
        *sink = line;
    }
}
