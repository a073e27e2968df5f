// Mistake: one thread sets the counter to zero while the others already add to it.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void plain_store_beside_atomics(const unsigned *in, unsigned *out) {
    __shared__ unsigned count;
    if (threadIdx.x == 0) count = 0;
    atomicAdd(&count, in[threadIdx.x] & 1);
    __syncthreads();
    out[threadIdx.x] = count;
}
