// Mistake: a table of constants is exceeded through a pointer.
// launch: grid=1 block=32
// finds: out-of-bounds
__device__ const unsigned table_pointer_above_end_values[4] = {2, 3, 5, 7};
extern "C" __global__ void table_pointer_above_end(const unsigned *in, unsigned *out) {
    const unsigned *p = table_pointer_above_end_values;
    out[threadIdx.x] = p[threadIdx.x % 5];
}
