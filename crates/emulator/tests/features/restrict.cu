// Pointers that are promised not to overlap.
// launch: grid=2 block=64
// kernel: restrict_kernel

__device__ unsigned restrict_sum(const unsigned *__restrict a, const unsigned *__restrict__ b) { return a[0] + b[0] * 3; }

extern "C" __global__ void restrict_kernel(const unsigned *__restrict__ in, unsigned *__restrict out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = restrict_sum(in + i, in + 2 * i);
}
