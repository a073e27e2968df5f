// Kernels that are templates, beside one that is launched by its plain name.
// launch: grid=2 block=64

template <typename T> __device__ T template_global_mix(T a, T b) { return a * 3 + b; }
template <typename T> __global__ void template_global_of(const T *in, T *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = template_global_mix<T>(in[i], in[i + 1]);
}
template __global__ void template_global_of<int>(const int *in, int *out);
template __global__ void template_global_of<float>(const float *in, float *out);

extern "C" __global__ void template_global(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = template_global_mix(in[i], in[i + 1]) + (unsigned)template_global_mix<float>((float)(in[i] & 0xff), 1.0f);
}
