// Mistake: the first block of the chain waits for a block before it, too.
// launch: grid=4 block=32
// finds: stuck
// line: 8
extern "C" __global__ void stuck_lookback_at_first(const unsigned *in, unsigned *out) {
    volatile unsigned *ready = out + 1024;
    if (threadIdx.x) return;
    while (!ready[blockIdx.x]) {}
    __threadfence();
    out[blockIdx.x + 1] = out[blockIdx.x] + in[blockIdx.x];
    __threadfence();
    ready[blockIdx.x + 1] = 1;
}
