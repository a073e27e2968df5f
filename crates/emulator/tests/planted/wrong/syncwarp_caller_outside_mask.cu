// Mistake: all lanes call __syncwarp with a mask of half of them.
// launch: grid=1 block=32
// finds: warp-operation divergent-barrier race-in-block
// line: 7 8 9
extern "C" __global__ void syncwarp_caller_outside_mask(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(0x0000ffff);
    out[threadIdx.x] = values[31 - threadIdx.x];
}
