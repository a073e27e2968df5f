// Mistake: a loop loads one element too many into a variable that is overwritten.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void unused_load_in_loop(const unsigned *in, unsigned *out) {
    unsigned value = 0;
    for (unsigned i = 0; i <= 4096; i += 32) {
        value = in[i + threadIdx.x];
        value = i;
    }
    out[threadIdx.x] = value;
}
