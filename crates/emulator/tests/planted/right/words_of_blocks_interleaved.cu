// Neighbouring words belong to different blocks; each block writes and reads its own only.
// launch: grid=4 block=64
extern "C" __global__ void words_of_blocks_interleaved(const unsigned *in, unsigned *out) {
    for (unsigned k = 0; k < 5; k++) {
        out[threadIdx.x * 4 + blockIdx.x] += in[threadIdx.x * 4 + blockIdx.x] >> k;
        __syncthreads();
        const unsigned other = out[(63 - threadIdx.x) * 4 + blockIdx.x];
        __syncthreads();
        out[threadIdx.x * 4 + blockIdx.x] ^= other;
    }
}
