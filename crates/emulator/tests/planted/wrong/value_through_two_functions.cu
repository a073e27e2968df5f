// Mistake: without a barrier, through two functions and an operator that take and return structs.
// launch: grid=1 block=64
// finds: race-in-block unwritten
struct value_through_two_functions_v { float x, y, z, w, u; };
__device__ value_through_two_functions_v operator+(value_through_two_functions_v a, value_through_two_functions_v b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w, a.u};
}
__device__ value_through_two_functions_v value_through_two_functions_twice(value_through_two_functions_v v) { return v + v; }
extern "C" __global__ void value_through_two_functions(const float *in, float *out) {
    __shared__ value_through_two_functions_v values[64];
    values[threadIdx.x] = {in[threadIdx.x], 1, 2, 3, 4};
    out[threadIdx.x] = value_through_two_functions_twice(values[(threadIdx.x + 32) % 64]).x;
}
