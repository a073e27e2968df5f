// Mistake: the fence stands behind the flag instead of before it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 15
extern "C" __global__ void flag_fence_after_store_of_flag(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        *flag = 1;
        __threadfence();
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}
