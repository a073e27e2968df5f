// Macros by which code knows that CUDA's compiler reads it.
// launch: grid=2 block=64

extern "C" __global__ void cudacc(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDACC__) && defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ >= 11
    out[i] = in[i] + 1;
#else
    out[i] = 0;
#endif
}
