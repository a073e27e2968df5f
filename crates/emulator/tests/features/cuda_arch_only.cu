// A function whose body exists for device code alone.
// launch: grid=2 block=64

__host__ __device__ unsigned cuda_arch_only_place() {
#ifdef __CUDA_ARCH__
    return threadIdx.x;
#else
    return 12345;
#endif
}

extern "C" __global__ void cuda_arch_only(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + cuda_arch_only_place();
}
