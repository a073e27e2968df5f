// The macro HUGE_VAL comes from a header of the C library.
// refused: HUGE_VAL

extern "C" __global__ void huge_val(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double least = HUGE_VAL;
    out[i] = (double)in[i] < least;
}
