// A kernel without extern "C", launched by the name that the compiler gives it.
// launch: grid=2 block=64
// kernel: _Z17more_mangled_namePKjPj

__global__ void more_mangled_name(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] / 3;
}
