// Structs go by value through shared memory, with barriers.
// launch: grid=2 block=64
struct value_arguments_four { unsigned a, b, c, d; };
__device__ value_arguments_four value_arguments_turned(value_arguments_four v) { return {v.d, v.a, v.b, v.c}; }
__device__ unsigned value_arguments_sum(value_arguments_four v) { return v.a + 3 * v.b + 5 * v.c + 7 * v.d; }
extern "C" __global__ void value_arguments(const unsigned *in, unsigned *out) {
    __shared__ value_arguments_four values[64];
    const unsigned i = blockIdx.x * 64 + threadIdx.x, x = in[i];
    values[threadIdx.x] = value_arguments_turned({x, x + 1, x + 2, x + 3});
    __syncthreads();
    out[i] = value_arguments_sum(values[63 - threadIdx.x]);
}
