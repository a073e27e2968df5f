// Mistake: all threads of a block add one to a volatile counter in global memory.
// launch: grid=1 block=256
// finds: race-in-block
// line: 7
extern "C" __global__ void volatile_lost_update(const unsigned *in, unsigned *out) {
    volatile unsigned *count = out + 512;
    *count = *count + 1;
    out[threadIdx.x] = in[threadIdx.x];
}
