// Mistake: the producer publishes its data by a volatile flag without a fence before it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 14
extern "C" __global__ void flag_without_fence(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}
