// Mistake: nothing lies between writing a struct to shared memory and handing another warp's by value to a function.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_argument_without_barrier_four { float a, b, c, d; };
__device__ float value_argument_without_barrier_sum(value_argument_without_barrier_four v) { return v.a + v.b + v.c + v.d; }
extern "C" __global__ void value_argument_without_barrier(const float *in, float *out) {
    __shared__ value_argument_without_barrier_four values[64];
    const float x = in[threadIdx.x];
    values[threadIdx.x] = {x, x, x, x};
    out[threadIdx.x] = value_argument_without_barrier_sum(values[63 - threadIdx.x]);
}
