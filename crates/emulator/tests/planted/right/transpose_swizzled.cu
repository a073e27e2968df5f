// Columns are permuted by an exclusive or with the row: every word has one writer and another reader.
// launch: grid=4 block=32x8
extern "C" __global__ void transpose_swizzled(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32 * 32];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y * 32 + (threadIdx.x ^ y)] = in[blockIdx.x * 1024 + y * 32 + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[blockIdx.x * 1024 + y * 32 + threadIdx.x] = tile[threadIdx.x * 32 + (y ^ threadIdx.x)];
}
