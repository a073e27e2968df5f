// A fused multiply-add rounds once, a product followed by a sum twice.
// launch: grid=2 block=64
// kernel: __fmaf_rn_kernel

extern "C" __global__ void __fmaf_rn_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)(in[i + 1] >> 8), c = -__fmul_rn(a, b);
    float once = __fmaf_rn(a, b, c), twice = __fadd_rn(__fmul_rn(a, b), c);
    out[i] = __float_as_uint(once);
    out[i + 1024] = __float_as_uint(twice) + (once != twice);
    out[i + 2048] = __float_as_uint(__fmaf_rd(a, b, 0.5f)) - __float_as_uint(__fmaf_ru(a, b, 0.5f));
}
