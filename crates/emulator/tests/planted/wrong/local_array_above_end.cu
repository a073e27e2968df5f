// Mistake: a thread's own array has 15 elements and data choose among 16.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 8
extern "C" __global__ void local_array_above_end(const unsigned *in, unsigned *out) {
    unsigned counts[15];
    for (int k = 0; k < 15; k++) counts[k] = k;
    for (int k = 0; k < 32; k++) counts[in[threadIdx.x * 32 + k] >> 28]++;
    unsigned code = 0;
    for (int k = 0; k < 15; k++) code = code * 5 + counts[k];
    out[threadIdx.x] = code;
}
