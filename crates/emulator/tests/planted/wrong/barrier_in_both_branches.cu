// Mistake: each branch has a barrier of its own, and the threads of one block take both branches.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 9 13
extern "C" __global__ void barrier_in_both_branches(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    if (threadIdx.x < 32) {
        values[threadIdx.x] = in[threadIdx.x];
        __syncthreads();
        out[threadIdx.x] = values[threadIdx.x + 32];
    } else {
        values[threadIdx.x] = in[threadIdx.x] * 3;
        __syncthreads();
        out[threadIdx.x] = values[threadIdx.x - 32] + 1;
    }
}
