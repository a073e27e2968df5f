// A whole warp votes on a flag that nobody sets.
// launch: grid=2 block=32
// finds: stuck
// line: 7
extern "C" __global__ void stuck_warp_vote(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 4000;
    while (__any_sync(~0u, *flag == 0)) {}
    out[0] = 1;
}
