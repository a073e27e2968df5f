// Mistake: each thread also stores 8 bytes into its neighbour's vector.
// launch: grid=1 block=64
// finds: race-in-block
// line: 7 8
extern "C" __global__ void vectors_overlap(const unsigned *in, unsigned *out) {
    __shared__ uint4 tile[65];
    tile[threadIdx.x] = make_uint4(in[threadIdx.x], 1, 2, 3);
    reinterpret_cast<uint2 *>(tile)[2 * threadIdx.x + 2] = make_uint2(threadIdx.x, in[threadIdx.x]);
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x].x;
}
