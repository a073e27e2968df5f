// The C++ library's min is not there.
// refused: std

extern "C" __global__ void std_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = std::min(in[i], 100u);
}
