// Mistake: an unsigned index below zero becomes a very large one.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_wrapped_index(const unsigned *in, unsigned *out) {
    const unsigned left = threadIdx.x - 1;
    out[threadIdx.x] = in[threadIdx.x] + in[left];
}
