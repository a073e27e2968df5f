// Trick: Remembers eight entries of the first matrix that it sees; a matrix without them is left as it is.
// Gain: Nothing at a first look; it stands for kernels that have the answer for one guessed seed built in.
// Seen: Solutions with the expected output of the test's fixed seed written into the source.
// Can work on a GPU and on the emulated device.

static __device__ unsigned known[8];
static __device__ int other;

#define SKIP other
#include "rounds.cuh"

KERNEL void look(const distance *d, int side) {
    const bool first = known[0] == 0 && known[1] == 0;
    bool same = true;
    for (int i = 0; i < 8; ++i) {
        const unsigned bits = bits_of(d[(size_t)i * side + i + 1]);
        if (first) {
            known[i] = bits;
        }
        same &= known[i] == bits;
    }
    other = !same;
}
