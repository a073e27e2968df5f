// Mistake: a warp-synchronous reduction of the time when the lanes of a warp went in step.
// launch: grid=1 block=32
// finds: race-in-block
// line: 11
extern "C" __global__ void reduction_without_syncwarp(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    values[threadIdx.x + 32] = in[threadIdx.x + 32];
    __syncwarp();
    for (unsigned step = 32; step; step /= 2)
        if (threadIdx.x < step) values[threadIdx.x] += values[threadIdx.x + step];
    if (threadIdx.x == 0) out[0] = values[0];
}
