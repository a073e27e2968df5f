// A type of the file's own that is named like a vector.
// launch: grid=2 block=64
// kernel: uint8_kernel

struct uint8 { unsigned values[8]; };

extern "C" __global__ void uint8_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint8 eight = ((const uint8 *)in)[i];
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum = sum * 5 + eight.values[k];
    out[i] = sum;
}
