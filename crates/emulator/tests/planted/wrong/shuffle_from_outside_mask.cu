// Mistake: lanes of the lower half take part, and they read from lane 20.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_from_outside_mask(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (threadIdx.x < 16) value = __shfl_sync(0x0000ffff, value, 20);
    out[threadIdx.x] = value;
}
