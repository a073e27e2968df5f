// Mistake: a function gets a constant table and looks behind it.
// launch: grid=1 block=32
// finds: out-of-bounds
__constant__ float table_pointer_in_function_values[3] = {1, 2, 3};
__device__ float table_pointer_in_function_at(const float *table, unsigned at) { return table[at]; }
extern "C" __global__ void table_pointer_in_function(const unsigned *in, float *out) {
    out[threadIdx.x] = table_pointer_in_function_at(table_pointer_in_function_values, threadIdx.x % 4);
}
