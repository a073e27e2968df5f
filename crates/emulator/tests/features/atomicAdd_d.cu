// Atomic addition of doubles that are whole numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_d(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0.0;
    __syncthreads();
    atomicAdd(&sum, (double)(int)in[i]);
    __syncthreads();
    out[i] = (unsigned)(__double_as_longlong(sum) >> (threadIdx.x % 2 * 32));
}
