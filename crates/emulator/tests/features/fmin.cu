// The lesser of two doubles, and of two floats by the same name.
// launch: grid=2 block=64
// kernel: fmin_kernel

extern "C" __global__ void fmin_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (double)(int)in[i] / 4.0, b = (double)(int)in[i + 1] / 8.0;
    double not_a_number = __longlong_as_double(0x7ff8000000000000ll);
    out[i] = (unsigned)(__double_as_longlong(fmin(a, b)) >> 16);
    out[i + 1024] = (unsigned)(__double_as_longlong(fmax(fmin(not_a_number, a), b)) >> 16);
    out[i + 2048] = __float_as_uint(fmin((float)a, (float)b));
}
