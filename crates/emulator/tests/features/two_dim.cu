// Blocks of two dimensions that turn a tile around.
// launch: grid=2x2 block=8x8

extern "C" __global__ void two_dim(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[8][8 + 1];
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 16 + x];
    __syncthreads();
    unsigned row = blockIdx.x * 8 + threadIdx.y, column = blockIdx.y * 8 + threadIdx.x;
    out[row * 16 + column] = tile[threadIdx.x][threadIdx.y];
}
