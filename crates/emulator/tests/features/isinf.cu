// Infinite, finite and neither.
// launch: grid=2 block=64
// kernel: isinf_kernel

extern "C" __global__ void isinf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i % 3 == 0 ? __int_as_float(0x7f800000) : i % 3 == 1 ? __int_as_float(0xff800000) : (float)in[i];
    double wide = i % 2 ? 1.0e300 * (double)value : (double)in[i];
    out[i] = (isinf(value) ? 1 : 0) + (isfinite(value) ? 2 : 0) + (isnan(value - value) ? 4 : 0) + (isinf(wide) ? 8 : 0);
    out[i + 1024] = (signbit(value) ? 1 : 0) + (value > 0.0f) * 2;
}
