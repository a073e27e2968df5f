// Mistake: blocks take places in a queue by a volatile end.
// launch: grid=4 block=32
// finds: race-between-blocks
struct volatile_queue_of { volatile unsigned end; unsigned entries[64]; };
extern "C" __global__ void volatile_queue(const unsigned *in, volatile_queue_of *out) {
    if (threadIdx.x == 0) {
        const unsigned place = out->end;
        out->end = place + 1;
        out->entries[place % 64] = in[blockIdx.x];
    }
}
