// Tiles of two matrices in shared memory: a barrier after loading and one after use.
// launch: grid=2x2 block=16x16
extern "C" __global__ void matrix_product_tiles(const unsigned *in, unsigned *out) {
    __shared__ unsigned a[16][16], b[16][17];
    const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    unsigned sum = 0;
    for (unsigned k = 0; k < 32; k += 16) {
        a[y][x] = in[row * 32 + k + x];
        b[y][x] = in[1024 + (k + y) * 32 + column];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
        __syncthreads();
    }
    out[row * 32 + column] = sum;
}
