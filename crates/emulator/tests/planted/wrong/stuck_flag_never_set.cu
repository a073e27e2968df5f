// Mistake: the last block waits for a flag that nobody sets.
// launch: grid=2 block=32
// finds: stuck
// line: 10
extern "C" __global__ void stuck_flag_never_set(const unsigned *in, unsigned *out) {
    volatile unsigned *flags = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) flags[0] = 1;
    else
        while (flags[1] == 0) {}
    out[blockIdx.x] = in[0];
}
