// Mistake: three warps come to a barrier of two: the third waits forever.
// launch: grid=1 block=96
// finds: stuck barrier-misuse
// line: 6
extern "C" __global__ void named_barrier_one_warp_too_many(const unsigned *in, unsigned *out) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = in[threadIdx.x];
}
