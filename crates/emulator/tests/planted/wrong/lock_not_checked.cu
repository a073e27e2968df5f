// Mistake: whether the lock was free when it was taken is not looked at.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9 11
extern "C" __global__ void lock_not_checked(const unsigned *in, unsigned *out) {
    if (threadIdx.x % 32 == 0) {
        atomicCAS(out + 100, 0u, 1u);
        __threadfence();
        out[0] += in[threadIdx.x];
        __threadfence();
        atomicExch(out + 100, 0u);
    }
}
