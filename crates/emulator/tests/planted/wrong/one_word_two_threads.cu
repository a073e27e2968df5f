// Mistake: two threads write different values to one word of the output.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6
extern "C" __global__ void one_word_two_threads(const unsigned *in, unsigned *out) {
    out[threadIdx.x / 2] = in[threadIdx.x];
}
