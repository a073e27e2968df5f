// Mistake: a pointer that walks along a local array reads one element more than it has.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 13
extern "C" __global__ void local_walk_read(const unsigned *in, unsigned *out) {
    unsigned own[8], other[8];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i];
        other[i] = in[i + 8];
    }
    unsigned sum = 0;
    for (const unsigned *at = own, *end = own + 8 + (in[0] & 1); at <= end; at++)
        sum += *at;
    out[threadIdx.x] = sum + other[in[threadIdx.x] % 8];
}
