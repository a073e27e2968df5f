// Mistake: a stencil in place: a block reads its neighbour's first element before or after that one is replaced.
// launch: grid=4 block=64 repeat=2
// finds: race-between-blocks
// line: 7 9
extern "C" __global__ void stencil_in_place_of_blocks(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    const unsigned next = out[(i + 1) % 256] + in[i];
    __syncthreads();
    out[i] = next;
}
