// One divided by the square root, within a tolerance.
// launch: grid=2 block=64
// kernel: rsqrtf_kernel

extern "C" __global__ void rsqrtf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)(in[i] | 1);
    float root = rsqrtf(value), again = 1.0f / sqrtf(value);
    out[i] = fabsf(root - again) <= again * 1.0e-6f;
    out[i + 1024] = fabs(rsqrt((double)value) * sqrt((double)value) - 1.0) < 1.0e-14;
    out[i + 2048] = __float_as_uint(rsqrtf(__int_as_float(0x7f800000)));
}
