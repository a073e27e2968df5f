// min of a float and an int, each made the other's type by hand.
// launch: grid=2 block=64

extern "C" __global__ void min_float_int(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int whole = (int)in[i] >> 16;
    float value = (float)((int)in[i + 1] >> 16) + 0.5f;
    out[i] = __float_as_uint(min(value, (float)whole)) ^ (unsigned)max(whole, (int)value);
    out[i + 1024] = __float_as_uint(max(value, 2.0f)) + (unsigned)(__double_as_longlong(min(value, 2.0)) >> 32);
}
