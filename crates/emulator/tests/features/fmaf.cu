// Fused multiply-add of floats and of doubles.
// launch: grid=2 block=64
// kernel: fmaf_kernel

extern "C" __global__ void fmaf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffffff), b = (float)((int)in[i + 1] >> 8);
    out[i] = __float_as_uint(fmaf(a, b, -1.0f));
    double wide = fma((double)in[i], (double)in[i + 2] * 1048576.0, 0.5);
    out[i + 1024] = (unsigned)__double_as_longlong(wide) ^ __float_as_uint(fmaf(b, b, a));
}
