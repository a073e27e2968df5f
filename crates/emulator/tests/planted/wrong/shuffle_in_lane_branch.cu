// Mistake: the mask names all lanes and half of them take another way.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void shuffle_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned value = in[threadIdx.x];
    if (value & 1) value += __shfl_xor_sync(~0u, value, 1);
    out[threadIdx.x] = value;
}
