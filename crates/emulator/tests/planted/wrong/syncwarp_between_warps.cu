// Mistake: __syncwarp where the elements come from another warp.
// launch: grid=1 block=128
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void syncwarp_between_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = values[(threadIdx.x + 1) % 128];
}
