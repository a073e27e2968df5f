// Words on their way to the caches: nothing but the time changes.
// launch: grid=2 block=64

extern "C" __global__ void more_prefetch(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(in + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + 64));
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(in + i));
    asm volatile("prefetchu.L1 [%0];" ::"l"(in + i));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(in + i / 32 * 32) : "memory");
    out[i] = in[i] + in[i + 64];
}
