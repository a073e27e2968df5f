// The greatest number of registers of a thread.
// launch: grid=2 block=64

extern "C" __global__ void __maxnreg__(32) maxnreg(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] ^ in[i + 1] ^ in[i + 2];
}
