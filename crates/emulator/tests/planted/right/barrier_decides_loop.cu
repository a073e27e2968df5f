// __syncthreads_or gives all threads the same answer, so all leave the loop together.
// launch: grid=2 block=64
extern "C" __global__ void barrier_decides_loop(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    const unsigned thread = threadIdx.x;
    values[thread] = in[blockIdx.x * 64 + thread] >> 20;
    __syncthreads();
    int rounds = 0, changed = 1;
    while (changed) {
        const unsigned smallest = min(values[thread], values[thread ? thread - 1 : 0]);
        changed = __syncthreads_or(smallest != values[thread]);
        values[thread] = smallest;
        rounds++;
        __syncthreads();
    }
    out[blockIdx.x * 64 + thread] = values[thread];
    if (thread == 0) out[1024 + blockIdx.x] = rounds;
}
