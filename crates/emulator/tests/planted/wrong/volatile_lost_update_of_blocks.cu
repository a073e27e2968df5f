// Mistake: one thread of each block adds to a volatile sum.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8
extern "C" __global__ void volatile_lost_update_of_blocks(const unsigned *in, unsigned *out) {
    volatile unsigned *sum = out + 512;
    if (threadIdx.x == 0) {
        *sum += in[blockIdx.x];
    }
}
