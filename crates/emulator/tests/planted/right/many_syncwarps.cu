// As many as 65,536 barriers of a warp lie between a write and a read of the same word.
// launch: grid=1 block=32
extern "C" __global__ void many_syncwarps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    for (int k = 0; k < 65536; k++) __syncwarp();
    out[threadIdx.x] = values[31 - threadIdx.x];
}
