// Copies of bytes by memcpy, between a thread's own, shared and global memory.
// launch: grid=2 block=64
// kernel: memcpy_kernel

extern "C" __global__ void memcpy_kernel(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned char bytes[64 * 5];
    memcpy(&bytes[5 * threadIdx.x], &in[i], 4);
    bytes[5 * threadIdx.x + 4] = (unsigned char)i;
    __syncthreads();
    float value;
    unsigned word;
    memcpy(&word, &bytes[threadIdx.x * 4 + 1], sizeof word);
    memcpy(&value, &in[i + 2], sizeof value);
    memcpy(&out[i + 1024], &in[3 * i], 4);
    out[i] = word ^ __float_as_uint(value);
}
