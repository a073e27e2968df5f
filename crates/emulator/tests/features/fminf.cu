// The lesser of two floats; a NaN loses against a number.
// launch: grid=2 block=64
// kernel: fminf_kernel

extern "C" __global__ void fminf_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)((int)in[i] >> 8), b = (float)((int)in[i + 1] >> 8);
    float not_a_number = __int_as_float(0x7fc00000);
    out[i] = __float_as_uint(fminf(a, b));
    out[i + 1024] = __float_as_uint(fminf(not_a_number, a)) ^ __float_as_uint(fmaxf(b, not_a_number));
}
