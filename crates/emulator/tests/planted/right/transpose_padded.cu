// The column of padding is neither written nor read.
// launch: grid=4 block=32x8
extern "C" __global__ void transpose_padded(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[32][33];
    for (unsigned y = threadIdx.y; y < 32; y += 8) tile[y][threadIdx.x] = in[blockIdx.x * 1024 + y * 32 + threadIdx.x];
    __syncthreads();
    for (unsigned y = threadIdx.y; y < 32; y += 8) out[blockIdx.x * 1024 + y * 32 + threadIdx.x] = tile[threadIdx.x][y];
}
