// A counter that goes down and starts again at its limit.
// launch: grid=2 block=64
// kernel: atomicDec_kernel

extern "C" __global__ void atomicDec_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicDec(&out[i % 3], 9);
    __shared__ unsigned counter;
    if (threadIdx.x == 0) counter = 100;
    __syncthreads();
    atomicDec(&counter, 20 + (in[0] & 1));
    __syncthreads();
    out[64 + i] = counter;
}
