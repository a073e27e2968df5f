// Mistake: a lock of a block whose sum is read and written outside of any fence.
// launch: grid=1 block=64
// finds: race-in-block
// line: 11
extern "C" __global__ void lock_without_fence(const unsigned *in, unsigned *out) {
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0u, 1u)) {}
        sum += in[threadIdx.x];
        atomicExch(&lock, 0u);
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
