// Two buffers and one barrier a step: what a step reads, the step after next overwrites.
// launch: grid=2 block=64
extern "C" __global__ void double_buffer(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][64];
    unsigned sum = 0;
    tile[0][threadIdx.x] = in[blockIdx.x * 1024 + threadIdx.x];
    __syncthreads();
    for (int step = 0; step < 16; step++) {
        if (step < 15) tile[(step + 1) & 1][threadIdx.x] = in[blockIdx.x * 1024 + (step + 1) * 64 + threadIdx.x];
        for (int k = 0; k < 64; k += 7) sum = sum * 5 + tile[step & 1][(threadIdx.x + k) & 63];
        __syncthreads();
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
