// How many bits are set, of 32 and of 64.
// launch: grid=2 block=64

extern "C" __global__ void popcll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __popc(in[i]) + 100 * __popcll(((unsigned long long)in[i] << 20) | 7) + 10000 * __popc(0);
}
