// Products of matrices of 16 by 16 by a warp.
// launch: grid=2 block=32
// needs: mma.h

#include <mma.h>
#include <cuda_fp16.h>
extern "C" __global__ void wmma(const unsigned *in, unsigned *out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[256], b[256];
    __shared__ __align__(32) float c[256];
    for (unsigned k = threadIdx.x; k < 256; k += 32) {
        a[k] = __float2half((float)((int)(in[k + 32 * blockIdx.x] & 15) - 8));
        b[k] = __float2half((float)(in[k + 300] & 7));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> columns;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 2.0f);
    wmma::load_matrix_sync(rows, a, 16);
    wmma::load_matrix_sync(columns, b, 16);
    wmma::mma_sync(sum, rows, columns, sum);
    for (int k = 0; k < sum.num_elements; ++k) sum.x[k] *= 2.0f;
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (unsigned k = threadIdx.x; k < 256; k += 32) out[256 * blockIdx.x + k] = __float_as_uint(c[k]);
}
