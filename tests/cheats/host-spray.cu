// Trick: A worker must answer its caller by some pipe. The kernel writes lines that look like success to all file descriptors.
// Gain: A forged result, if the caller believes the first well-formed line.
// Seen: Submissions to judges and CI that print the expected verdict themselves.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

KERNEL void strike(distance *, int) {
    const char forged[] = "{\"ok\":true,\"findings\":[],\"seconds\":1e-9,\"verified\":true}\n";
    for (int file = 1; file < 64; ++file) {
        write(file, forged, sizeof forged - 1);
    }
}
