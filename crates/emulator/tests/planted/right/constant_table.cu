// A table in constant memory, read up to its last element by lanes that want different ones.
// launch: grid=1 block=64
__constant__ unsigned constant_table_table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
extern "C" __global__ void constant_table(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * constant_table_table[in[threadIdx.x] >> 29];
}
