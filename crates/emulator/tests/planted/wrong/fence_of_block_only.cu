// Mistake: __threadfence_block orders nothing for another block.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 15
extern "C" __global__ void fence_of_block_only(const unsigned *in, unsigned *out) {
    volatile unsigned *flag = out + 512;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0) {}
        __threadfence();
        out[1] = out[0] + 1;
    }
}
