// Mistake: a barrier that the odd lanes of every warp do not reach.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 8 9 11
extern "C" __global__ void barrier_in_lane_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x % 2 == 0) __syncthreads();
    __syncwarp();
    out[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
}
