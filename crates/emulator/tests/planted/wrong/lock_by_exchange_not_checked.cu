// Mistake: the lock is taken by an exchange whose answer nobody looks at.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void lock_by_exchange_not_checked(const unsigned *in, unsigned *out) {
    if (threadIdx.x % 32 == 0) {
        atomicExch(out + 100, 1u);
        __threadfence();
        out[0] += in[threadIdx.x];
        __threadfence();
        atomicExch(out + 100, 0u);
    }
}
