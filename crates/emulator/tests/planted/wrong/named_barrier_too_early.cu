// Mistake: the producer arrives before it stores.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 9 12
extern "C" __global__ void named_barrier_too_early(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 1, 64;" ::: "memory");
        values[threadIdx.x] = in[threadIdx.x];
    } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x - 32] = values[63 - threadIdx.x];
    }
}
