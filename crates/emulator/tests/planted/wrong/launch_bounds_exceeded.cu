// Mistake: the kernel is compiled for at most 64 threads a block and launched with 128.
// launch: grid=1 block=128
// finds: launch-bounds
// line: 5
extern "C" __global__ void __launch_bounds__(64) launch_bounds_exceeded(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x];
}
