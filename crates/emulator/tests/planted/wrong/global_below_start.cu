// Mistake: the first thread reads its left neighbour before the start of the input.
// launch: grid=2 block=64
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_below_start(const unsigned *in, unsigned *out) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] + in[i - 1];
}
