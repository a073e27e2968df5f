// Mistake: a table of constants that a function keeps is read one element too far.
// launch: grid=1 block=32
// finds: out-of-bounds
// line: 9
__device__ unsigned table_walk_in_function_sum(unsigned count) {
    static const unsigned short values[6] = {1, 2, 3, 4, 5, 6};
    unsigned sum = 0;
    for (const unsigned short *at = values; at != values + count; at++)
        sum += *at;
    return sum;
}
extern "C" __global__ void table_walk_in_function(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = table_walk_in_function_sum(6 + (in[threadIdx.x] & 1));
}
