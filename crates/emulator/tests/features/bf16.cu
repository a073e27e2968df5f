// Numbers of 16 bits with 8 bits of mantissa.
// launch: grid=2 block=64
// needs: cuda_bf16.h

#include <cuda_bf16.h>
extern "C" __global__ void bf16(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)(in[i] & 0xffff) - 32768) / 16.0f;
    __nv_bfloat16 a = __float2bfloat16(value), b = __float2bfloat16_rz(value);
    __nv_bfloat162 pair = __floats2bfloat162_rn(value, -value);
    float sum = __bfloat162float(a) + __bfloat162float(b);
    out[i] = __float_as_uint(sum) ^ __float_as_uint(__high2float(pair));
    out[i + 1024] = __bfloat16_as_ushort(__hmin(a, __float2bfloat16(0.0f))) + (__hlt(a, b) ? 65536 : 0);
}
