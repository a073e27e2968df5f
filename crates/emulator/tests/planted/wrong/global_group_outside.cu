// Mistake: the last group of five words begins inside the output and ends outside: only its first word was checked.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 9
extern "C" __global__ void global_group_outside(const unsigned *in, unsigned *out) {
    const unsigned i = 4096 - 64 * 5 + threadIdx.x * 5 + 3;
    if (i < 4096) {
        unsigned *to = out + i;
        for (int k = 0; k < 5; k++) to[k] = in[threadIdx.x] >> k;
    }
}
