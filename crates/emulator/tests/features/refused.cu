// === cfloat
// The limits of floats in a C++ header.
// refused: cfloat

#include <cfloat>
extern "C" __global__ void cfloat(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)in[i] < FLT_MAX;
}

// === cpp_name
// A kernel without extern "C" is not found by its plain name.
// refused: extern "C"

__global__ void cpp_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// === cstdint
// Integer types of given sizes from a C++ header.
// refused: cstdint

#include <cstdint>
extern "C" __global__ void cstdint(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (uint32_t)in[i];
}

// === huge_val
// The macro HUGE_VAL comes from a header of the C library.
// refused: HUGE_VAL

extern "C" __global__ void huge_val(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double least = HUGE_VAL;
    out[i] = (double)in[i] < least;
}

// === infinity
// The macro INFINITY comes from a header of the C library.
// kernel: infinity_kernel
// refused: INFINITY

extern "C" __global__ void infinity_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = INFINITY;
    out[i] = (float)in[i] < least;
}

// === limits
// The limits of types in a C++ header.
// refused: limits

#include <limits>
extern "C" __global__ void limits(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (int)in[i] < std::numeric_limits<int>::max();
}

// === limits_inf
// Infinity from a C++ header.
// refused: limits

#include <limits>
extern "C" __global__ void limits_inf(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (float)in[i] < std::numeric_limits<float>::infinity();
}

// === printf_stdio
// printf with the header of the C library.
// refused: stdio.h

#include <stdio.h>
extern "C" __global__ void printf_stdio(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) printf("%u\n", in[i]);
    out[i] = in[i];
}

// === std_min
// The C++ library's min is not there.
// refused: std

extern "C" __global__ void std_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = std::min(in[i], 100u);
}
