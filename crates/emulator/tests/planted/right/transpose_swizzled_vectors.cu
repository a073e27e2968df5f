// Sixteen-byte pieces of a row are permuted by the row; whole vectors are stored and single words are read.
// launch: grid=1 block=256
extern "C" __global__ void transpose_swizzled_vectors(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[32][8];
    const unsigned row = threadIdx.x / 8, piece = threadIdx.x % 8;
    tile[row][piece ^ (row & 7)] = reinterpret_cast<const uint4 *>(in)[threadIdx.x];
    __syncthreads();
    for (unsigned k = 0; k < 4; k++) {
        const unsigned i = k * 256 + threadIdx.x, y = i % 32, x = i / 32;
        out[i] = reinterpret_cast<const unsigned *>(&tile[y][(x / 4) ^ (y & 7)])[x % 4];
    }
}
