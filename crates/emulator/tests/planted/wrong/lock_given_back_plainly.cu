// Mistake: the lock is given back by a plain store with no fence before it.
// launch: grid=4 block=32
// finds: race-between-blocks
// line: 8 9 10
extern "C" __global__ void lock_given_back_plainly(const unsigned *in, unsigned *out) {
    volatile unsigned *lock = out + 100;
    if (threadIdx.x == 0) {
        while (atomicCAS(out + 100, 0u, 1u)) {}
        out[0] += in[blockIdx.x];
        *lock = 0;
    }
}
