// Mistake: two stores behind the end, of which the second takes the place of the first, in one thread of one branch.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 7
extern "C" __global__ void overwritten_store_above_end(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 3) {
        out[4096] = in[0];
        out[4096] = in[1];
    }
    out[threadIdx.x] = 1;
}
