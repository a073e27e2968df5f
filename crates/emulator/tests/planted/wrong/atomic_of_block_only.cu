// Mistake: atomicAdd_block is atomic within a block, and four blocks add to one word.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 6
extern "C" __global__ void atomic_of_block_only(const unsigned *in, unsigned *out) {
    atomicAdd_block(&out[0], in[blockIdx.x * 32 + threadIdx.x]);
}
