// The macro INFINITY comes from a header of the C library.
// kernel: infinity_kernel
// refused: INFINITY

extern "C" __global__ void infinity_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = INFINITY;
    out[i] = (float)in[i] < least;
}
