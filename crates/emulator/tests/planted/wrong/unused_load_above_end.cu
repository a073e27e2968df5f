// Mistake: a load ahead goes past the end of the buffer in the last block; its value is never used.
// launch: grid=64 block=64
// finds: out-of-bounds
extern "C" __global__ void unused_load_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    const unsigned next = in[i + 1];
    out[i] = in[i];
}
