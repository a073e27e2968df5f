// Mistake: the array has 64 elements and the last thread reads the one after them.
// launch: grid=1 block=64
// finds: out-of-bounds
// line: 9
extern "C" __global__ void shared_above_end(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x + in[0] + 1];
}
