// Mistake: a barrier for more threads than the block has.
// launch: grid=1 block=64
// finds: stuck barrier-misuse
// line: 6
extern "C" __global__ void named_barrier_more_than_block(const unsigned *in, unsigned *out) {
    asm volatile("bar.sync 2, 128;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x];
}
