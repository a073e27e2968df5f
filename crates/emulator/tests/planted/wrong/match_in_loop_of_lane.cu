// Mistake: lanes leave the loop when served, and the next round still names them all.
// launch: grid=1 block=32
// finds: warp-operation
// line: 8
extern "C" __global__ void match_in_loop_of_lane(const unsigned *in, unsigned *out) {
    const unsigned key = in[threadIdx.x] >> 30;
    for (unsigned k = 0; k < 4; k++) {
        const unsigned peers = __match_any_sync(~0u, key);
        if (key == k) {
            out[threadIdx.x] = peers;
            break;
        }
    }
}
