// Code chosen by the architecture it is compiled for.
// launch: grid=2 block=64

extern "C" __global__ void cuda_arch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if __CUDA_ARCH__ >= 900
    out[i] = in[i] + __CUDA_ARCH__;
#elif defined(__CUDA_ARCH__)
    out[i] = in[i] + 1;
#else
    out[i] = 0;
#endif
}
