// Mistake: block 0 stores without taking the lock that the other blocks take.
// launch: grid=4 block=32
// finds: race-between-blocks
extern "C" __global__ void volatile_store_without_lock(const unsigned *in, unsigned *out) {
    unsigned *lock = out + 512;
    volatile unsigned *value = out + 600;
    if (threadIdx.x == 0) {
        if (blockIdx.x != 0) {
            while (atomicCAS(lock, 0u, 1u) != 0) {
            }
            __threadfence();
        }
        *value = *value + in[blockIdx.x + 1];
        if (blockIdx.x != 0) {
            __threadfence();
            atomicExch(lock, 0u);
        }
    }
}
