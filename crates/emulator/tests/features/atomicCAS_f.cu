// The least float by a loop of compare and swap.
// launch: grid=2 block=64

__device__ float atomicCAS_f_min(float *address, float value) {
    unsigned old = *(volatile unsigned *)address, assumed;
    do {
        assumed = old;
        if (__uint_as_float(assumed) <= value) break;
        old = atomicCAS((unsigned *)address, assumed, __float_as_uint(value));
    } while (old != assumed);
    return __uint_as_float(old);
}

extern "C" __global__ void atomicCAS_f(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float least;
    if (threadIdx.x == 0) least = 3.0e38f;
    __syncthreads();
    atomicCAS_f_min(&least, (float)(int)in[i]);
    __syncthreads();
    out[i] = __float_as_uint(least);
}
