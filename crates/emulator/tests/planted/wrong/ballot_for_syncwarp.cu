// Mistake: a vote is no barrier for memory.
// launch: grid=2 block=32
// finds: race-in-block
// line: 7 8
extern "C" __global__ void ballot_for_syncwarp(const unsigned *in, unsigned *out) {
    unsigned *mine = out + blockIdx.x * 32;
    mine[threadIdx.x] = in[threadIdx.x];
    if (__any_sync(~0u, in[threadIdx.x] & 1)) mine[threadIdx.x] = mine[31 - threadIdx.x] + 1;
}
