// Names of constants from CUDA's header.
// launch: grid=2 block=64
// needs: math_constants.h

#include <math_constants.h>
extern "C" __global__ void math_constants(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float least = CUDART_INF_F;
    for (unsigned k = 0; k < in[i] % 3; ++k) least = fminf(least, (float)in[i + k]);
    out[i] = __float_as_uint(least) ^ __float_as_uint(CUDART_PI_F);
    out[i + 1024] = (unsigned)(__double_as_longlong(CUDART_SQRT_TWO) >> (i % 32)) + (CUDART_NAN_F != CUDART_NAN_F);
}
