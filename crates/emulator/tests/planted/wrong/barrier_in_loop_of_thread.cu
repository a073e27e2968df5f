// Mistake: the number of rounds, each with a barrier, depends on the thread.
// launch: grid=1 block=64
// finds: divergent-barrier
// line: 8 10
extern "C" __global__ void barrier_in_loop_of_thread(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    for (unsigned k = 0; k < 2 + threadIdx.x / 32; k++) __syncthreads();
    values[threadIdx.x] += 1;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x];
}
