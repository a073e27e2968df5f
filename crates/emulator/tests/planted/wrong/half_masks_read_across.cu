// Mistake: each half of the warp waits for itself, and then reads what the other half wrote.
// launch: grid=1 block=32
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void half_masks_read_across(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
    out[threadIdx.x] = values[31 - threadIdx.x];
}
