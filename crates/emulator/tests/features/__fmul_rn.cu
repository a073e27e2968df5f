// Products of 24-bit numbers, rounded in each direction.
// launch: grid=2 block=64
// kernel: __fmul_rn_kernel

extern "C" __global__ void __fmul_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)((int)in[i + 7] >> 8);
    out[i] = __float_as_uint(__fmul_rn(a, b));
    out[i + 1024] = __float_as_uint(__fmul_rd(a, b)) ^ (__float_as_uint(__fmul_ru(a, b)) * 3);
    out[i + 2048] = __float_as_uint(__fmul_rz(a, b));
}
