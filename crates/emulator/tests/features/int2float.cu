// Integers to floats in the four ways of rounding.
// launch: grid=2 block=64
// kernel: int2float_kernel

extern "C" __global__ void int2float_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = (int)in[i];
    out[i] = __float_as_uint(__int2float_rn(value)) ^ (__float_as_uint(__int2float_rd(value)) * 3);
    out[i + 1024] = __float_as_uint(__int2float_ru(value)) ^ (__float_as_uint(__int2float_rz(value)) * 3);
    out[i + 2048] = __float_as_uint(__uint2float_rn(in[i])) ^ __float_as_uint(__ll2float_rz((long long)value * in[i + 1]));
}
