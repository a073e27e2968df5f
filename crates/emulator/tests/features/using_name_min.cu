// Variables named min and max, and the functions by a using-declaration.
// launch: grid=2 block=64

__device__ unsigned using_name_min_least(unsigned a, unsigned b) {
    using ::min;
    return min(a, b);
}

extern "C" __global__ void using_name_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned min = in[i], max = in[i];
    for (unsigned k = 1; k < 4; ++k) {
        if (in[i + k] < min) min = in[i + k];
        max = ::max(max, in[i + k]);
    }
    out[i] = max - min + using_name_min_least(min, 100000u);
}
