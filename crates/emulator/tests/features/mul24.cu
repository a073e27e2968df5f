// Products of the low 24 bits, signed and unsigned.
// launch: grid=2 block=64
// kernel: mul24_kernel

extern "C" __global__ void mul24_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (unsigned)__mul24((int)in[i], (int)in[i + 1]);
    out[i + 1024] = __umul24(in[i], in[i + 1]);
}
