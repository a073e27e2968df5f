// Mistake: the consumers wait for each other at a barrier that the producers never join.
// launch: grid=1 block=128
// finds: race-in-block unwritten
// line: 8 11
extern "C" __global__ void named_barrier_of_consumers(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (threadIdx.x < 64) {
        values[threadIdx.x] = in[threadIdx.x];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 64] = values[127 - threadIdx.x];
    }
}
