// __builtin_assume_aligned returns its pointer.
// launch: grid=2 block=64

extern "C" __global__ void assume_aligned(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned *four = (const unsigned *)__builtin_assume_aligned(in + 4 * i, 16);
    out[i] = four[0] ^ four[1] ^ four[2] ^ four[3];
}
