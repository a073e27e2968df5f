// Mistake: bins in global memory are incremented by several blocks without an atomic.
// launch: grid=4 block=1
// finds: race-between-blocks
// line: 6
extern "C" __global__ void histogram_global_plain(const unsigned *in, unsigned *out) {
    for (unsigned k = 0; k < 16; k++) out[in[blockIdx.x * 16 + k] >> 30]++;
}
