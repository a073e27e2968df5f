// A kernel without extern "C" is not found by its plain name.
// refused: extern "C"

__global__ void cpp_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
