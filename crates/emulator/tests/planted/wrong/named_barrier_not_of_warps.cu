// Mistake: a barrier for 48 threads, which is no multiple of a warp.
// launch: grid=1 block=64
// finds: barrier-misuse
// line: 8
extern "C" __global__ void named_barrier_not_of_warps(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, %0;" ::"r"(48 + in[0]) : "memory");
    out[threadIdx.x] = values[63 - threadIdx.x];
}
