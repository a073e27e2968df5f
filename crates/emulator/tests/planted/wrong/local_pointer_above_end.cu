// Mistake: a pointer goes one element past a local array, to read.
// launch: grid=1 block=32
// finds: out-of-bounds
extern "C" __global__ void local_pointer_above_end(const unsigned *in, unsigned *out) {
    unsigned own[8];
    for (unsigned i = 0; i < 8; i++) {
        own[i] = in[i * 32 + threadIdx.x];
    }
    const unsigned *p = own;
    out[threadIdx.x] = p[in[threadIdx.x] % 8 + (threadIdx.x == 5 ? 8 : 0)];
}
