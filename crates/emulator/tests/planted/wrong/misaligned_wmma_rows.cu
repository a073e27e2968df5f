// Mistake: rows of a matrix are 34 bytes apart, which is no multiple of 16.
// launch: grid=1 block=32
// finds: misaligned
// line: 14
#include <mma.h>
extern "C" __global__ void misaligned_wmma_rows(const unsigned *in, unsigned *out) {
    using namespace nvcuda;
    __shared__ __align__(32) __half a[272];
    for (unsigned k = threadIdx.x; k < 272; k += 32) {
        a[k] = __float2half((float)(in[k] & 7));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> rows;
    wmma::load_matrix_sync(rows, a, 17);
    out[threadIdx.x] = (unsigned)(float)rows.x[0];
}
