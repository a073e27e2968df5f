// Absolute values of int, long long and float by one overloaded name.
// launch: grid=2 block=64
// kernel: abs_kernel

extern "C" __global__ void abs_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i];
    long long b = (long long)a * 5;
    float c = (float)(a >> 8);
    out[i] = (unsigned)abs(a) ^ (unsigned)(abs(b) >> 1) ^ __float_as_uint(abs(c));
    out[i + 1024] = (unsigned)(labs((long)a) + llabs(b));
}
