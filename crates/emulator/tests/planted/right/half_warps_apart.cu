// Each half of a warp has a __syncwarp of its own and exchanges within itself only.
// launch: grid=1 block=64
extern "C" __global__ void half_warps_apart(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned half = threadIdx.x & 16, mask = half ? 0xffff0000 : 0x0000ffff;
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(mask);
    unsigned value = values[threadIdx.x ^ 15];
    if (half) {
        __syncwarp(0xffff0000);
        values[threadIdx.x] = value * 3;
        __syncwarp(0xffff0000);
        value += values[threadIdx.x ^ 5];
    }
    out[threadIdx.x] = value;
}
