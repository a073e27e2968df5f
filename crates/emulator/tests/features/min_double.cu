// min and max of doubles.
// launch: grid=2 block=64

extern "C" __global__ void min_double(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double a = (double)(int)in[i] / 2.0, b = (double)(int)in[i + 1] / 2.0;
    out[i] = (unsigned)(__double_as_longlong(min(a, b)) >> 20) ^ (unsigned)(__double_as_longlong(max(a, 0.25)) >> 21);
}
