// Mistake: the block has 40 threads; the second warp's mask names 24 lanes that never existed.
// launch: grid=1 block=40
// finds: warp-operation
// line: 6
extern "C" __global__ void shuffle_lanes_never_existed(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, in[threadIdx.x], 8);
}
