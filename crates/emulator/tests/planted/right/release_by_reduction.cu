// Three blocks count down with red.release; the fourth waits until all have come.
// launch: grid=4 block=64
extern "C" __global__ void release_by_reduction(const unsigned *in, unsigned *out) {
    unsigned *count = out + 1000;
    if (blockIdx.x) {
        out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(count)) : "memory");
        return;
    }
    if (threadIdx.x == 0)
        for (unsigned seen = 0; seen < 3;)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(count)) : "memory");
    __syncthreads();
    out[threadIdx.x] = out[64 + threadIdx.x] + out[128 + threadIdx.x] * 3 + out[192 + threadIdx.x] * 5;
}
