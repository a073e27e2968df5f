// Mistake: the last round leaves out the barrier that the reads after the loop need.
// launch: grid=1 block=64
// finds: race-in-block
// line: 10 13
extern "C" __global__ void barrier_left_out_at_the_end(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < 5; k++) {
        values[(threadIdx.x + k) % 64] += in[k * 64 + threadIdx.x];
        if (k < 4) __syncthreads();
    }
    out[threadIdx.x] = values[63 - threadIdx.x];
}
