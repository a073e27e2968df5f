// Mistake: the last thread reads its right neighbour behind the end of the input.
// launch: grid=64 block=64
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_above_end(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] + in[i + 1];
}
