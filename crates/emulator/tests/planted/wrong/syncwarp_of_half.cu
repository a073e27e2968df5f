// Mistake: __syncwarp for all lanes, which the upper half passes by on its way to another one.
// launch: grid=1 block=32
// finds: divergent-barrier warp-operation stuck
// line: 9 12 14
extern "C" __global__ void syncwarp_of_half(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 16) {
        __syncwarp();
        out[threadIdx.x] = values[31 - threadIdx.x];
    } else {
        __shfl_sync(0xffff0000, values[threadIdx.x], 16);
    }
}
