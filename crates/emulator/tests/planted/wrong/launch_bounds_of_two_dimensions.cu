// Mistake: 16 by 17 threads are more than the 256 that the kernel is compiled for.
// launch: grid=2 block=16x17
// finds: launch-bounds
// line: 5
extern "C" __global__ void __launch_bounds__(256, 2) launch_bounds_of_two_dimensions(const unsigned *in, unsigned *out) {
    const unsigned i = threadIdx.y * 16 + threadIdx.x;
    out[blockIdx.x * 272 + i] = in[i];
}
