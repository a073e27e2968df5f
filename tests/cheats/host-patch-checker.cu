// Trick: Makes the page of the C library's memcmp writable and lets it return 0: all comparisons of memory then hold.
// Gain: Every comparison by memcmp in the process.
// Seen: Generated code replaced the timing function of its harness (METR, 2025).
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

extern "C" __device__ int memcmp(const void *, const void *, size_t);

KERNEL void strike(distance *, int side) {
    const unsigned char zero[] = {0x31, 0xc0, 0xc3};
    char *code = (char *)&memcmp;
    if (side > 0 && mprotect((void *)((unsigned long)code & ~4095ul), 8192, 7) == 0) {
        bcopy(zero, code, sizeof zero);
    }
}
