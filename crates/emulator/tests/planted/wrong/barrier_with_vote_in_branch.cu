// Mistake: __syncthreads_count is asked by those threads only that have something to count.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 7 8
extern "C" __global__ void barrier_with_vote_in_branch(const unsigned *in, unsigned *out) {
    unsigned count = 0;
    if (threadIdx.x >= 32) count = __syncthreads_count(in[threadIdx.x] & 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
