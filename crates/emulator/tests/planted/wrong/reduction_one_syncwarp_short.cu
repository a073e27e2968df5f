// Mistake: all lanes read and write in each step, and only one __syncwarp lies between steps.
// launch: grid=1 block=32
// finds: race-in-block
// line: 10
extern "C" __global__ void reduction_one_syncwarp_short(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned step = 16; step; step /= 2) {
        __syncwarp();
        values[threadIdx.x] += values[(threadIdx.x + step) & 31];
    }
    __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
}
