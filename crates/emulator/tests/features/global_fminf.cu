// Functions of the language by their global name.
// launch: grid=2 block=64

namespace global_fminf_names {
__device__ float fminf(float a, float b) { return ::fminf(a, b) - 1.0f; }
}

extern "C" __global__ void global_fminf(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = (float)(in[i] & 0xffff), b = (float)(in[i + 1] & 0xffff);
    out[i] = (unsigned)::fminf(a, b) + (unsigned)(global_fminf_names::fminf(a, b) + 1.0f) + (unsigned)::max((int)in[i], 3);
}
