// Mistake: global memory, too, needs a barrier between one warp's stores and another's loads.
// launch: grid=1 block=64
// finds: race-in-block
// line: 6 7
extern "C" __global__ void global_scratch_without_barrier(const unsigned *in, unsigned *out) {
    out[1024 + threadIdx.x] = in[threadIdx.x] * 3;
    out[threadIdx.x] = out[1024 + 63 - threadIdx.x];
}
