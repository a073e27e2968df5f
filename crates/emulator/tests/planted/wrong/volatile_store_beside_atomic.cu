// Mistake: one block sets to zero, by a volatile store, what the others count in.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_store_beside_atomic(const unsigned *in, unsigned *out) {
    if (threadIdx.x == 0) {
        if (blockIdx.x == 2) {
            *(volatile unsigned *)(out + 512) = in[1];
        } else {
            atomicAdd(out + 512, 1u);
        }
    }
}
