// Mistake: a pointer walks over a local array to one element past its end.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_pointer_walks_past(const unsigned *in, unsigned *out) {
    unsigned own[6];
    for (unsigned i = 0; i < 6; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    unsigned sum = 0;
    for (const unsigned *p = own; p <= own + 6; p++) {
        sum += *p;
    }
    out[threadIdx.x] = sum;
}
