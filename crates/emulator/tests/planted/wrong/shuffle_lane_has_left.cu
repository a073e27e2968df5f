// Mistake: lanes that returned are still named by the mask and read from.
// launch: grid=1 block=64
// finds: warp-operation
// line: 9
extern "C" __global__ void shuffle_lane_has_left(const unsigned *in, unsigned *out) {
    const unsigned i = threadIdx.x;
    if (i >= 50) return;
    unsigned sum = in[i];
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (i % 32 == 0) out[i / 32] = sum;
}
