// Mistake: the last element of the halo is read and was never loaded.
// launch: grid=1 block=64
// finds: unwritten
// line: 10
extern "C" __global__ void shared_halo_unwritten(const unsigned *in, unsigned *out) {
    __shared__ unsigned tile[66];
    tile[threadIdx.x + 1] = in[threadIdx.x];
    if (threadIdx.x == 0) tile[0] = 0;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}
