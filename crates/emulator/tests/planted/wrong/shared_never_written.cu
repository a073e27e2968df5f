// Mistake: the kernel relies on shared memory being zero.
// launch: grid=2 block=64
// finds: unwritten
// line: 7 9
extern "C" __global__ void shared_never_written(const unsigned *in, unsigned *out) {
    __shared__ unsigned counts[8];
    atomicAdd(&counts[in[threadIdx.x] >> 29], 1u);
    __syncthreads();
    if (threadIdx.x < 8) out[blockIdx.x * 8 + threadIdx.x] = counts[threadIdx.x];
}
