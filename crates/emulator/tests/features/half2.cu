// Pairs of 16-bit floats.
// launch: grid=2 block=64
// kernel: half2_kernel
// needs: cuda_fp16.h

#include <cuda_fp16.h>
extern "C" __global__ void half2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 a = __floats2half2_rn((float)(in[i] & 0xff), -(float)(in[i] >> 24)), b = __float2half2_rn(0.5f);
    __half2 sum = __hadd2(a, b), least = __hmin2(a, b), once = __hfma2(a, b, sum);
    __half first = __low2half(sum);
    out[i] = __float_as_uint(__low2float(once)) ^ __float_as_uint(__high2float(least));
    out[i + 1024] = __half_as_ushort(first) + 65536 * (first > __high2half(sum)) + 131072 * (unsigned)__half2int_rn(__low2half(a));
}
