// Three buffers and one barrier a step, in the middle of it: a slow warp still reads the buffer before last.
// launch: grid=1 block=96
extern "C" __global__ void triple_buffer(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[3][96];
    unsigned sum = 0;
    for (int step = 0; step < 20; step++) {
        tile[step % 3][threadIdx.x] = in[step * 96 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[step % 3][95 - threadIdx.x];
        if (step) sum ^= tile[(step + 2) % 3][(threadIdx.x + 40) % 96];
    }
    out[threadIdx.x] = sum;
}
