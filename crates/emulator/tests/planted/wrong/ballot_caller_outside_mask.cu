// Mistake: lane 0 votes with a mask that leaves it out.
// launch: grid=1 block=32
// finds: warp-operation
// line: 6
extern "C" __global__ void ballot_caller_outside_mask(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = __ballot_sync(0xfffffffe, in[threadIdx.x] & 1);
}
