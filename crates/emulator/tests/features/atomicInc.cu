// A counter that goes up to its limit and starts again at zero.
// launch: grid=2 block=64
// kernel: atomicInc_kernel

extern "C" __global__ void atomicInc_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned before = atomicInc(&out[i % 3], 9);
    atomicAdd(&out[16 + before], i % 3 == 0);
    __shared__ unsigned counter;
    if (threadIdx.x == 0) counter = 100;
    __syncthreads();
    atomicInc(&counter, 20 + (in[0] & 1));
    __syncthreads();
    out[64 + i] = counter;
}
