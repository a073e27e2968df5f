// The lesser and the greater of a sum and a number, unsigned.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_u(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i] >> 1, b = in[i + 1] >> 1, c = in[i + 2];
    out[i] = __viaddmin_u32(a, b, c);
    out[i + 1024] = __viaddmax_u32(a, b, c);
}
