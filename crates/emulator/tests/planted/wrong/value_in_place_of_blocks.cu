// Mistake: a method of the neighbour's element, which another block may have replaced, gets it by value.
// launch: grid=4 block=32
// finds: race-between-blocks
struct value_in_place_of_blocks_cell {
    unsigned a, b, c, d;
    __device__ value_in_place_of_blocks_cell plus(value_in_place_of_blocks_cell other) const { return {a + other.a, b + other.b, c, d}; }
};
extern "C" __global__ void value_in_place_of_blocks(const unsigned *in, value_in_place_of_blocks_cell *out) {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out[i] = out[i].plus(out[(i + 1) % 128]);
}
