// Unnamed functions that capture by reference and by value.
// launch: grid=2 block=64
// kernel: lambda_kernel

extern "C" __global__ void lambda_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0, factor = in[i] & 7;
    auto add = [&](unsigned value) { sum += value * factor; };
    auto shifted = [factor](unsigned value) { return value >> factor; };
    for (unsigned k = 0; k < 4; ++k) add(in[i + k]);
    out[i] = sum + shifted(in[i]);
}
