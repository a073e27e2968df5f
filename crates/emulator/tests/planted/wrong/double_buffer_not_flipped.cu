// Mistake: the index of the buffer is never flipped, so that one buffer is written while it is read.
// launch: grid=1 block=64
// finds: race-in-block
// line: 8 11 12
extern "C" __global__ void double_buffer_not_flipped(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][64];
    unsigned sum = 0, now = in[0];
    tile[now][threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (unsigned k = 1; k < 8; k++) {
        sum = sum * 3 + tile[now][63 - threadIdx.x];
        tile[now][threadIdx.x] = in[k * 64 + threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
