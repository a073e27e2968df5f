// Mistake: the swizzle drops a bit, and two threads write different values to one word.
// launch: grid=1 block=64
// finds: race-in-block
// line: 9
extern "C" __global__ void swizzle_writes_collide(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[64];
    tile[threadIdx.x] = 0;
    __syncthreads();
    tile[(threadIdx.x ^ (threadIdx.x >> 3)) & 31] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}
