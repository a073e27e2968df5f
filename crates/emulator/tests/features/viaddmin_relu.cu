// The lesser of a sum and a number, not less than zero.
// launch: grid=2 block=64

extern "C" __global__ void viaddmin_relu(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i] >> 2, b = (int)in[i + 1] >> 2, c = (int)in[i + 2];
    out[i] = (unsigned)__viaddmin_s32_relu(a, b, c);
    out[i + 1024] = (unsigned)__viaddmax_s32_relu(a, b, c) ^ (unsigned)__vimin_s32_relu(a, b);
}
