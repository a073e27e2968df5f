// Mistake: a vote of all lanes is asked for by some of them.
// launch: grid=1 block=32
// finds: warp-operation
// line: 7
extern "C" __global__ void ballot_in_lane_branch(const unsigned *in, unsigned *out) {
    unsigned votes = 0;
    if (threadIdx.x % 3) votes = __ballot_sync(~0u, in[threadIdx.x] & 1);
    out[threadIdx.x] = votes;
}
