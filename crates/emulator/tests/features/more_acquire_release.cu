// One block publishes values with a store that releases, the other waits with loads that acquire.
// launch: grid=2 block=64

extern "C" __global__ void more_acquire_release(const unsigned *in, unsigned *out) {
    unsigned *flags = out + 4000, seen = 0;
    if (blockIdx.x == 0) {
        out[threadIdx.x] = in[threadIdx.x] * 3;
        __syncthreads();
        if (threadIdx.x == 0) asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flags), "r"(7) : "memory");
        out[64 + threadIdx.x] = in[threadIdx.x] * 5;
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
        asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(flags + 1 + threadIdx.x), "r"(1) : "memory");
    } else {
        while (seen != 7) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags) : "memory");
        out[1024 + threadIdx.x] = out[63 - threadIdx.x];
        do
            asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flags + 1 + threadIdx.x) : "memory");
        while (seen != 1);
        asm volatile("fence.sc.gpu;\n membar.gl;" ::: "memory");
        out[2048 + threadIdx.x] = out[64 + threadIdx.x];
    }
}
