// Mistake: the grid has more threads than the output has words, and no thread checks.
// launch: grid=33 block=128
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_grid_tail(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = threadIdx.x * 3;
}
