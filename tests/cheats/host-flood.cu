// Trick: Writes to stdout and stderr until it is ended.
// Gain: None; fills logs, records and the memory of a caller that collects the output.
// Seen: Programs in an endless error loop.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int side) {
    char line[1024];
    for (int i = 0; i < 1024; ++i) {
        line[i] = i % 64 == 63 ? '\n' : 'x';
    }
    while (side > 0) {
        write(1, line, sizeof line);
        write(2, line, sizeof line);
    }
}
