// Vectors of two 16-bit integers.
// launch: grid=2 block=64
// kernel: short2_kernel

extern "C" __global__ void short2_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    short2 value = ((const short2 *)in)[i], made = make_short2((short)in[i + 1], (short)-5);
    __shared__ short2 pairs[64];
    pairs[threadIdx.x] = made;
    __syncthreads();
    short2 other = pairs[threadIdx.x ^ 8];
    out[i] = (unsigned)(value.x * other.x) ^ (unsigned)(value.y + other.y);
}
