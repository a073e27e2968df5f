// Bits combined by atomic exclusive or, and, or.
// launch: grid=2 block=64
// kernel: atomicXor_kernel

extern "C" __global__ void atomicXor_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicXor(&out[0], in[i]);
    atomicOr(&out[1], in[i] & 0x11111111u);
    __shared__ unsigned bits;
    __shared__ unsigned long long wide;
    if (threadIdx.x == 0) bits = ~0u, wide = 0;
    __syncthreads();
    atomicAnd(&bits, in[i] | 0xffff0000u >> (i % 8));
    atomicXor(&wide, (unsigned long long)in[i] << (i % 32));
    __syncthreads();
    out[64 + i] = bits ^ (unsigned)(wide >> (i % 33));
}
