// Absolute values of floats and doubles, of negative zero too.
// launch: grid=2 block=64
// kernel: fabsf_kernel

extern "C" __global__ void fabsf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = (float)((int)in[i] >> 8);
    out[i] = __float_as_uint(fabsf(value)) + __float_as_uint(fabsf(-0.0f));
    out[i + 1024] = (unsigned)fabs((double)(int)in[i]) ^ __float_as_uint(fabs(value));
}
