// Mistake: one warp says that the barrier has 64 threads, the others say 128.
// launch: grid=1 block=128
// finds: barrier-misuse
// line: 8
extern "C" __global__ void named_barrier_counts_differ(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[128];
    values[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.sync 1, %0;" ::"r"(threadIdx.x < 32 ? 64 : 128) : "memory");
    out[threadIdx.x] = values[127 - threadIdx.x];
}
