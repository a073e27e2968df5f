// Mistake: the flag is a plain word, looked at a few times.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 10 14
extern "C" __global__ void flag_plain(const unsigned *in, unsigned *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        __threadfence();
        out[512] = 1;
    } else {
        unsigned seen = 0;
        for (int k = 0; k < 100 && !seen; k++) {
            seen = out[512];
            __threadfence();
        }
        out[1] = seen;
    }
}
