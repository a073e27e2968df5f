// Mistake: a pointer to one of two local arrays of the same length goes past it.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_pointer_of_either(const unsigned *in, unsigned *out) {
    unsigned own[4], other[4];
    for (unsigned i = 0; i < 4; i++) {
        own[i] = in[i];
        other[i] = in[i + 4];
    }
    const unsigned *either = in[threadIdx.x] & 1 ? own : other;
    out[threadIdx.x] = either[threadIdx.x % 5];
}
