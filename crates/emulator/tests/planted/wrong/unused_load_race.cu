// Mistake: another warp's element is loaded, though nobody uses it, while it is written.
// launch: grid=1 block=64
// finds: race-in-block
extern "C" __global__ void unused_load_race(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    const unsigned other = values[63 - threadIdx.x];
    out[threadIdx.x] = in[threadIdx.x];
}
