// Mistake: every thread replaces a volatile maximum if its own is greater.
// launch: grid=2 block=64
// finds: race-in-block race-between-blocks
extern "C" __global__ void volatile_maximum(const unsigned *in, unsigned *out) {
    volatile unsigned *most = out + 512;
    const unsigned mine = in[blockIdx.x * 64 + threadIdx.x];
    if (mine > *most) {
        *most = mine;
    }
}
