// A thread's own array, indexed by data up to its last element.
// launch: grid=1 block=64
extern "C" __global__ void local_array(const unsigned *in, unsigned *out) {
    unsigned counts[16];
    for (int k = 0; k < 16; k++) counts[k] = k;
    for (int k = 0; k < 24; k++) counts[in[threadIdx.x * 24 + k] >> 28]++;
    unsigned code = 0;
    for (int k = 0; k < 16; k++) code = code * 5 + counts[k];
    out[threadIdx.x] = code;
}
