// The least value of a block by atomics on shared memory.
// launch: grid=2 block=64

extern "C" __global__ void atomic_shared_min(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned least;
    __shared__ int lowest;
    if (threadIdx.x == 0) least = ~0u, lowest = 0x7fffffff;
    __syncthreads();
    atomicMin(&least, in[i] | 1);
    atomicMin(&lowest, (int)in[i]);
    __syncthreads();
    out[i] = least ^ (unsigned)lowest;
}
