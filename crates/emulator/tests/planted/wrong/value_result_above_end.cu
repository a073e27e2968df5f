// Mistake: the last block stores what a function returns behind the end of the buffer.
// launch: grid=17 block=64
// finds: out-of-bounds
struct value_result_above_end_four { unsigned a, b, c, d; };
__device__ value_result_above_end_four value_result_above_end_of(unsigned x) { return {x, x, x, x}; }
extern "C" __global__ void value_result_above_end(const unsigned *in, value_result_above_end_four *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = value_result_above_end_of(in[i]);
}
