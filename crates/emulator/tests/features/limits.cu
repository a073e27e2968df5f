// The limits of types in a C++ header.
// refused: limits

#include <limits>
extern "C" __global__ void limits(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (int)in[i] < std::numeric_limits<int>::max();
}
