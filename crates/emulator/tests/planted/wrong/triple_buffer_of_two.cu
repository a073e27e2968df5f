// Mistake: a scheme for three buffers, with two: what a slow warp reads of the step before is being overwritten.
// launch: grid=1 block=96
// finds: race-in-block
// line: 9 11 12
extern "C" __global__ void triple_buffer_of_two(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[2][96];
    unsigned sum = 0;
    for (unsigned k = 0; k < 12; k++) {
        tile[k % 2][threadIdx.x] = in[k * 96 + threadIdx.x];
        __syncthreads();
        sum = sum * 3 + tile[k % 2][95 - threadIdx.x];
        if (k) sum ^= tile[(k + 1) % 2][(threadIdx.x + 40) % 96];
    }
    out[threadIdx.x] = sum;
}
