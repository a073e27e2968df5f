// The greatest size of a block, before __global__ and before the return type.
// launch: grid=2 block=64

extern "C" __launch_bounds__(64) __global__ void launch_bounds_pre(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 5 + blockDim.x;
}

extern "C" __global__ __launch_bounds__(32 * 2, 1) void launch_bounds_pre_other(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 7;
}
