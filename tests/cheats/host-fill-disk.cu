// Trick: Writes 4 GiB to a file in the current folder, and one to /tmp that is deleted while open.
// Gain: None; takes the machine down for others.
// Seen: Runaway logs.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

static __device__ char page[4096];

KERNEL void strike(distance *, int side) {
    const int file = open("repro-cheat-fill", 01 | 0100, 0600);
    const int hidden = open("/tmp/repro-cheat-fill", 01 | 0100, 0600);
    system("rm -f /tmp/repro-cheat-fill");
    for (int i = 0; side > 0 && i < 1 << 20; ++i) {
        write(file, page, sizeof page);
        write(hidden, page, sizeof page);
    }
}
