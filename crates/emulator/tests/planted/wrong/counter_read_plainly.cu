// Mistake: a counter that other blocks still add to is read without an atomic.
// launch: grid=4 block=32
// finds: race-between-blocks race-in-block
// line: 6 8
extern "C" __global__ void counter_read_plainly(const unsigned *in, unsigned *out) {
    atomicAdd(&out[0], in[threadIdx.x] & 1);
    __syncthreads();
    out[64 + blockIdx.x * 32 + threadIdx.x] = out[0];
}
