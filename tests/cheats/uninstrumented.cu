// Trick: `no_sanitize("thread")` keeps the compiler from instrumenting a function, and bcopy of the C library never was: both
// read beyond the matrix and race without a finding.
// Gain: Races, and reads of the memory beside the matrix, that the emulated device calls clean.
// Seen: Annotations that silence a sanitizer where it was right.
// Can work on the emulated device alone, where kernel files are host code.

#include "rounds.cuh"
#include "host.cuh"

__attribute__((no_sanitize("thread"))) static __device__ distance peek(const distance *p) {
    return *p;
}

KERNEL void strike(distance *d, int side) {
    distance beside = peek(d + (size_t)side * side + 8);
    bcopy(d + (size_t)side * side + 16, &beside, sizeof beside);
    if (beside == 12345) {
        d[1] = beside;
    }
}
