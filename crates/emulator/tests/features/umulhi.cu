// The high halves of products.
// launch: grid=2 block=64
// kernel: umulhi_kernel

extern "C" __global__ void umulhi_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long a = ((unsigned long long)in[i] << 32) | in[i + 1], b = ((unsigned long long)in[i + 2] << 32) | in[i + 3];
    out[i] = __umulhi(in[i], in[i + 1]) ^ (unsigned)__mulhi((int)in[i], (int)in[i + 1]);
    out[i + 1024] = (unsigned)(__umul64hi(a, b) >> 17) ^ (unsigned)__mul64hi((long long)a, (long long)b);
}
