// Mistake: tiles of 64 are placed 60 apart: four words belong to two blocks.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 6
extern "C" __global__ void tiles_overlap(const unsigned *in, unsigned *out) {
    out[blockIdx.x * 60 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}
