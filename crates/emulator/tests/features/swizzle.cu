// Rows of shared memory whose columns are mixed, so that a column is read without conflicts of banks.
// launch: grid=2 block=64

__device__ unsigned swizzle_place(unsigned row, unsigned column) { return row * 8 + (column ^ row); }

extern "C" __global__ void swizzle(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned tile[64];
    unsigned row = threadIdx.x / 8, column = threadIdx.x % 8;
    tile[swizzle_place(row, column)] = in[i];
    __syncthreads();
    out[i] = tile[swizzle_place(column, row)];
}
