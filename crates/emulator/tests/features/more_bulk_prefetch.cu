// A block of memory brought to the second-level cache: nothing else happens.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_prefetch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + 64 * blockIdx.x), "r"(256) : "memory");
    out[i] = in[i] + 5;
}
