// Integer types of given sizes from a C++ header.
// refused: cstdint

#include <cstdint>
extern "C" __global__ void cstdint(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (uint32_t)in[i];
}
