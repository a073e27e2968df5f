// Mistake: half of the threads take a branch with a barrier in it, the others come to the barrier after it.
// launch: grid=1 block=128
// finds: divergent-barrier
// line: 9 12
extern "C" __global__ void barrier_in_thread_branch(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x < 64) {
        __syncthreads();
        values[threadIdx.x] += values[threadIdx.x + 64];
    }
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x % 64];
}
