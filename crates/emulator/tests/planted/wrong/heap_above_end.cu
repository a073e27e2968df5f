// Mistake: ten words are allocated and an eleventh is written.
// launch: grid=1 block=2
// finds: out-of-bounds
// line: 7
extern "C" __global__ void heap_above_end(const unsigned *in, unsigned *out) {
    unsigned *values = static_cast<unsigned *>(malloc(10 * sizeof(unsigned)));
    for (int k = 0; k <= 10; k++) values[k] = in[threadIdx.x + k];
    unsigned sum = 0;
    for (int k = 0; k < 10; k++) sum = sum * 3 + values[k];
    out[threadIdx.x] = sum;
    free(values);
}
