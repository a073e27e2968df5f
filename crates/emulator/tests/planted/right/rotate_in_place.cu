// Pairs of threads swap through registers and a __syncwarp; no pair leaves its warp.
// launch: grid=1 block=64
extern "C" __global__ void rotate_in_place(const unsigned *in, unsigned *out) {
    out[threadIdx.x] = in[threadIdx.x] * 3;
    __syncwarp();
    const unsigned other = out[threadIdx.x ^ 1];
    __syncwarp();
    out[threadIdx.x] = other;
}
