// The lesser and the greater in each half or byte of a word.
// launch: grid=2 block=64

extern "C" __global__ void vmin(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a = in[i], b = in[i + 1];
    out[i] = __vminu2(a, b) ^ (__vmins2(a, b) >> 1);
    out[i + 1024] = __vminu4(a, b) ^ (__vmins4(a, b) >> 1);
    out[i + 2048] = __vmaxu2(a, b) ^ (__vmaxs4(a, b) >> 1) ^ __vaddus2(a, b) ^ __vcmpltu4(a, b);
}
