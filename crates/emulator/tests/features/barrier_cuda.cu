// A cuda::barrier of the threads of a block, in shared memory.
// launch: grid=2 block=64
// kernel: barrier_cuda_kernel
// needs: cuda/barrier

#include <cuda/barrier>
extern "C" __global__ void barrier_cuda_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ unsigned values[64];
    if (threadIdx.x == 0) init(&barrier, blockDim.x);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned round = 0; round < 3; ++round) {
        values[threadIdx.x] = in[i] + round;
        barrier.arrive_and_wait();
        sum += values[(threadIdx.x + 33) % 64];
        barrier.wait(barrier.arrive());
    }
    out[i] = sum;
}
