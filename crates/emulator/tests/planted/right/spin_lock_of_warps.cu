// Warps of a block take turns by a lock in shared memory.
// launch: grid=1 block=128
extern "C" __global__ void spin_lock_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned lock, sum;
    if (threadIdx.x == 0) lock = 0, sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0)
        for (int round = 0; round < 4; round++) {
            while (atomicCAS(&lock, 0u, 1u)) {}
            __threadfence_block();
            sum += in[threadIdx.x + round];
            __threadfence_block();
            atomicExch(&lock, 0u);
        }
    __syncthreads();
    out[threadIdx.x] = sum;
}
