// Mistake: the last thread of a warp waits until five have counted, and there are four blocks.
// launch: grid=4 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_counter_one_short(const unsigned *in, unsigned *out) {
    if (threadIdx.x != 31) return;
    atomicAdd(out, 1u);
    while (*(volatile unsigned *)out < 5) __nanosleep(50);
    out[64 + blockIdx.x] = in[blockIdx.x];
}
