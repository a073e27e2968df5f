// Mistake: each of two blocks waits for the other's flag before it sets its own.
// launch: grid=2 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_both_wait(const unsigned *in, unsigned *out) {
    volatile unsigned *flags = out + 512;
    if (threadIdx.x) return;
    while (flags[blockIdx.x ^ 1] == 0) {}
    flags[blockIdx.x] = 1;
}
