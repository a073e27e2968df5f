// Mistake: a template stores one element too many through the pointer that it gets.
// launch: grid=1 block=32
// finds: out-of-bounds
template <class T, int N>
__device__ void local_pointer_in_template_fill(T *values, T first) {
    for (int i = 0; i <= N; i++) {
        values[i] = first + i;
    }
}
extern "C" __global__ void local_pointer_in_template(const unsigned *in, unsigned *out) {
    double own[3];
    local_pointer_in_template_fill<double, 3>(own, in[threadIdx.x]);
    out[threadIdx.x] = own[threadIdx.x % 3];
}
