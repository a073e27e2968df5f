// Mistake: memory of the heap is read after it was given back.
// launch: grid=1 block=1
// finds: out-of-bounds unwritten
// line: 9
extern "C" __global__ void heap_after_free(const unsigned *in, unsigned *out) {
    volatile unsigned *values = static_cast<volatile unsigned *>(malloc(40));
    values[3] = in[3];
    free(const_cast<unsigned *>(values));
    out[0] = values[3];
}
