// Mistake: a block reads what the next block writes in the same launch.
// launch: grid=4 block=64
// finds: race-between-blocks
// line: 7 10
extern "C" __global__ void grid_exchange_without_barrier(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    __threadfence();
    __syncthreads();
    out[512 + i] = out[(i + 64) % 256];
}
