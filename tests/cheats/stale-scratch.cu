// Trick: Asks for scratch of the matrix's size and hopes that the allocator gives back memory in which the reference or the
// last result lies.
// Gain: The time of a copy.
// Seen: Sakana AI's CUDA engineer (2025) got the reference's output from memory that the harness had freed; LeftoverLocals
// (CVE-2023-4969) is the same across processes.
// Can work on a GPU and on the emulated device.

#include "blocked.cuh"

KERNEL void copy(distance *d, int side, const distance *left) {
    const size_t at = own_element(side);
    d[at] = left[at];
}
