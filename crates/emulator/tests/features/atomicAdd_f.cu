// Atomic addition of floats that are whole numbers.
// launch: grid=2 block=64

extern "C" __global__ void atomicAdd_f(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float *sums = (float *)out;
    atomicAdd(&sums[threadIdx.x % 8], (float)(in[i] & 0xff) - 128.0f);
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0.5f;
    __syncthreads();
    atomicAdd(&sum, (float)(in[i] & 0xfff));
    __syncthreads();
    out[64 + i] = __float_as_uint(sum);
}
