// A volatile sum is changed by whoever has the lock, with fences.
// launch: grid=4 block=32
extern "C" __global__ void volatile_under_a_lock(const unsigned *in, unsigned *out) {
    unsigned *lock = out + 512;
    volatile unsigned *value = out + 600;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0) {
        }
        __threadfence();
        *value = *value + in[blockIdx.x + 1];
        __threadfence();
        atomicExch(lock, 0u);
    }
}
