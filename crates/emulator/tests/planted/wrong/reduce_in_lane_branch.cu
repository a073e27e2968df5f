// Mistake: a sum over all lanes of which only the even ones come.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void reduce_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned sum = 0;
    if (threadIdx.x % 2 == 0) sum = __reduce_add_sync(~0u, in[threadIdx.x]);
    out[threadIdx.x] = sum;
}
