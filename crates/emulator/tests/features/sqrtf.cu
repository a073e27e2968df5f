// Square roots, correctly rounded.
// launch: grid=2 block=64
// kernel: sqrtf_kernel

extern "C" __global__ void sqrtf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)in[i];
    out[i] = __float_as_uint(sqrtf(value)) ^ (__float_as_uint(__fsqrt_rd(value)) * 3);
    out[i + 1024] = (unsigned)(__double_as_longlong(sqrt((double)in[i])) >> 9) + __float_as_uint(sqrtf(-0.0f));
}
