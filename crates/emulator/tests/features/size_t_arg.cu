// A size of 64 bits as an argument.
// launch: grid=2 block=64
// arguments: in out size:4294967299

extern "C" __global__ void size_t_arg(const unsigned *in, unsigned *out, size_t size) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    out[i] = in[i] + (unsigned)(size >> 32) * 1000 + (unsigned)(size % 7);
}
