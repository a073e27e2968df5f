// Mistake: a bin is computed that the output does not have.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 7
extern "C" __global__ void global_atomic_outside(const unsigned *in, unsigned *out) {
    const unsigned bin = 4000 + in[threadIdx.x] % 200;
    atomicAdd(&out[bin], 1u);
}
