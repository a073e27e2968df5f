// Mistake: nothing lies between writing and reading another warp's elements.
// launch: grid=1 block=64
// finds: race-in-block unwritten
// line: 7 8
extern "C" __global__ void reverse_without_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = values[63 - threadIdx.x];
}
