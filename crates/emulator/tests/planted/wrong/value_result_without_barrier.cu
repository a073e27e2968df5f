// Mistake: a function returns a struct into shared memory, and nothing lies before another warp reads it.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_result_without_barrier_pair { unsigned a, b, c; };
__device__ value_result_without_barrier_pair value_result_without_barrier_of(unsigned x) { return {x, x + 1, x + 2}; }
extern "C" __global__ void value_result_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ value_result_without_barrier_pair values[64];
    values[threadIdx.x] = value_result_without_barrier_of(in[threadIdx.x]);
    out[threadIdx.x] = values[63 - threadIdx.x].b;
}
