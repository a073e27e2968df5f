// Mistake: the last block hands a struct behind the end of the buffer to a function.
// launch: grid=17 block=64
// finds: out-of-bounds
struct value_argument_above_end_four { unsigned a, b, c, d; };
__device__ unsigned value_argument_above_end_sum(value_argument_above_end_four v) { return v.a + v.d; }
extern "C" __global__ void value_argument_above_end(const value_argument_above_end_four *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = value_argument_above_end_sum(in[i]);
}
