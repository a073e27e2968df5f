// The limits of floats in a C++ header.
// refused: cfloat

#include <cfloat>
extern "C" __global__ void cfloat(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)in[i] < FLT_MAX;
}
