// Mistake: the lanes of one exchange name different sets of lanes.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_masks_differ(const unsigned *in, unsigned *out) {
    const unsigned mask = threadIdx.x < 24 ? 0x00ffffff : 0xffffffff;
    out[threadIdx.x] = __shfl_sync(mask, in[threadIdx.x], 3);
}
