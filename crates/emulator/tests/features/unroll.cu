// Loops that the compiler unrolls, wholly, by a number and not at all.
// launch: grid=2 block=64

extern "C" __global__ void unroll(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += in[i + k];
#pragma unroll 2
    for (unsigned k = 0; k < in[i] % 9; ++k) sum ^= in[i + k];
    constexpr int times = 3;
#pragma unroll times
    for (int k = 0; k < 6; ++k) sum = sum * 3 + k;
#pragma unroll 1
    for (int k = 0; k < 3; ++k) sum -= in[k];
    out[i] = sum;
}
