// NaNs are made and known; what bits they have is not looked at.
// launch: grid=2 block=64
// kernel: nan_kernel

extern "C" __global__ void nan_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i % 2 ? nanf("") : (float)in[i];
    double wide = i % 4 < 2 ? nan("") : (double)in[i];
    out[i] = (isnan(value) ? 1 : 0) + (isnan(wide) ? 2 : 0) + (value != value) * 4 + (wide < 5.0) * 8 + !(value >= 0.0f) * 16;
}
