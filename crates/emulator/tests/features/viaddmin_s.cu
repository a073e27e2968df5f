// The lesser and the greater of a sum and a number, signed.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_s(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i] >> 2, b = (int)in[i + 1] >> 2, c = (int)in[i + 2];
    out[i] = (unsigned)__viaddmin_s32(a, b, c);
    out[i + 1024] = (unsigned)__viaddmax_s32(a, b, c);
}
