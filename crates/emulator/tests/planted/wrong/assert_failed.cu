// Mistake: what the kernel asserts does not hold for the last thread.
// launch: grid=1 block=64
// finds: trap
// line: 6
extern "C" __global__ void assert_failed(const unsigned *in, unsigned *out) {
    assert(threadIdx.x < 63 + in[0]);
    out[threadIdx.x] = in[threadIdx.x];
}
