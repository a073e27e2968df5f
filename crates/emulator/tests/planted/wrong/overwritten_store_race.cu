// Mistake: all threads store to the first word before it gets its value; each store is overwritten at once.
// launch: grid=2 block=32
// finds: race-in-block race-between-blocks
extern "C" __global__ void overwritten_store_race(const unsigned *in, unsigned *out) {
    out[0] = in[threadIdx.x];
    out[0] = 7;
}
