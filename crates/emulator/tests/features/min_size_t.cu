// min of sizes.
// launch: grid=2 block=64

extern "C" __global__ void min_size_t(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    size_t a = (size_t)in[i] << 5, b = sizeof(float) * (size_t)in[i + 1];
    out[i] = (unsigned)(min(a, b) >> 3) + (unsigned)max(b, sizeof(double));
}
