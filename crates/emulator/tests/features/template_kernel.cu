// A kernel that is a template, launched by the name that the compiler gives its instance.
// launch: grid=2 block=64
// kernel: _Z15template_kernelIjLi3EEvPKT_PS0_

template <typename T, int FACTOR> __global__ void template_kernel(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * FACTOR + sizeof(T);
}
template __global__ void template_kernel<unsigned, 3>(const unsigned *in, unsigned *out);
