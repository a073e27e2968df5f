// Mistake: the table has seven elements and data choose among eight.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 7
__constant__ unsigned constant_above_end_table[7] = {3, 1, 4, 1, 5, 9, 2};
extern "C" __global__ void constant_above_end(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = constant_above_end_table[in[threadIdx.x] >> 29];
}
