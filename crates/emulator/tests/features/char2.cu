// Vectors of two signed bytes.
// launch: grid=2 block=64
// kernel: char2_kernel

extern "C" __global__ void char2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    char2 a = make_char2((signed char)in[i], (signed char)(in[i] >> 8));
    const char2 *pairs = (const char2 *)in;
    char2 b = pairs[i];
    out[i] = (unsigned)(a.x * a.y) + (unsigned)(b.x - b.y) * 65536u + sizeof(char2);
}
