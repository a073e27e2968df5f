// The greatest size of a block, after the return type.
// launch: grid=2 block=64
// kernel: launch_bounds_kernel

extern "C" __global__ void __launch_bounds__(64, 4) launch_bounds_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 3 + blockDim.x;
}
