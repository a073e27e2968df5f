// Values of 64 bits from other lanes.
// launch: grid=2 block=64

extern "C" __global__ void shfl_double(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double value = (double)(int)in[i] * 1048576.0;
    double least = value;
    for (int step = 16; step > 0; step /= 2) least = fmin(least, __shfl_xor_sync(0xffffffffu, least, step));
    long long wide = __shfl_down_sync(0xffffffffu, (long long)in[i] << 9, 1);
    out[i] = (unsigned)(__double_as_longlong(least) >> 25) ^ (unsigned)(wide >> 5);
    out[i + 1024] = (unsigned)(__double_as_longlong(__shfl_sync(0xffffffffu, value, 9)) >> 30);
}
