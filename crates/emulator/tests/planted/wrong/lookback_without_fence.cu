// Mistake: in a look-back, sum and flag are separate words with no fence between them.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 13 15
extern "C" __global__ void lookback_without_fence(const unsigned *in, unsigned *out) {
    unsigned *sums = out + 1024;
    volatile unsigned *flags = out + 1056;
    if (threadIdx.x) return;
    unsigned sum = in[blockIdx.x];
    if (blockIdx.x) {
        while (flags[blockIdx.x - 1] == 0) {}
        __threadfence();
        sum += sums[blockIdx.x - 1];
    }
    sums[blockIdx.x] = sum;
    flags[blockIdx.x] = 1;
}
