// Mistake: one block reads, by a volatile load, what another one stores plainly and no fence hands over.
// launch: grid=2 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_read_of_plain_store(const unsigned *in, unsigned *out) {
    if (blockIdx.x == 0) {
        out[512 + threadIdx.x] = in[threadIdx.x];
    } else {
        out[threadIdx.x] = *(volatile unsigned *)(out + 512 + threadIdx.x);
    }
}
