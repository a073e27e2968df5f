// A function that calls itself, which no compiler inlines, with a struct of its own.
// launch: grid=1 block=32
struct value_of_recursion_range { unsigned first, count; };
__device__ unsigned value_of_recursion_sum(const unsigned *in, value_of_recursion_range range) {
    if (range.count == 1) {
        return in[range.first];
    }
    const unsigned half = range.count / 2;
    return value_of_recursion_sum(in, {range.first, half}) + 3 * value_of_recursion_sum(in, {range.first + half, range.count - half});
}
extern "C" __global__ void value_of_recursion(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = value_of_recursion_sum(in, {threadIdx.x, 9});
}
