// Mistake: the struct that a template gets by value was written by half of the threads alone.
// launch: grid=1 block=32
// finds: unwritten
struct value_argument_unwritten_pair { double a, b, c; };
template <class T>
__device__ double value_argument_unwritten_sum(T v) { return v.a + v.c; }
extern "C" __global__ void value_argument_unwritten(const unsigned *in, double *out) {
    __shared__ value_argument_unwritten_pair values[32];
    if (threadIdx.x < 16) {
        values[threadIdx.x] = {1.0, 2.0, in[threadIdx.x] * 1.0};
    }
    __syncwarp();
    out[threadIdx.x] = value_argument_unwritten_sum(values[threadIdx.x]);
}
