// The next tile is fetched into registers while this one is used, and stored between two barriers.
// launch: grid=1 block=16x16
extern "C" __global__ void matrix_product_prefetch(const unsigned *in, unsigned *out) {
    __shared__ unsigned a[2][16][16], b[2][16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned sum = 0, next_a = in[y * 64 + x], next_b = in[1024 + y * 16 + x];
    for (unsigned k = 0; k < 4; k++) {
        a[k & 1][y][x] = next_a;
        b[k & 1][y][x] = next_b;
        __syncthreads();
        if (k < 3) next_a = in[y * 64 + (k + 1) * 16 + x], next_b = in[1024 + ((k + 1) * 16 + y) * 16 + x];
        for (unsigned i = 0; i < 16; i++) sum += a[k & 1][y][i] * b[k & 1][i][x];
    }
    out[y * 16 + x] = sum;
}
