// Mistake: a shuffle exchanges registers and orders no memory.
// launch: grid=1 block=32
// finds: race-in-block unwritten
// line: 7 9
extern "C" __global__ void shuffle_for_syncwarp(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned place = __shfl_xor_sync(~0u, threadIdx.x, 5);
    out[threadIdx.x] = values[place];
}
