// The least and the greatest of three, signed.
// launch: grid=2 block=64

extern "C" __global__ void vimin3(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int a = (int)in[i], b = (int)in[i + 1], c = (int)in[i + 2];
    out[i] = (unsigned)__vimin3_s32(a, b, c);
    out[i + 1024] = (unsigned)__vimax3_s32(a, b, c);
    out[i + 2048] = (unsigned)__vimin3_s32_relu(a, b, c) ^ (unsigned)__vimax3_s32_relu(a, b, c);
}
