// Infinity from a C++ header.
// refused: limits

#include <limits>
extern "C" __global__ void limits_inf(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)in[i] < std::numeric_limits<float>::infinity();
}
