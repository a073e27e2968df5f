// A store with release and a load with acquire, both of the device's scope, need no fence beside them.
// launch: grid=2 block=32
extern "C" __global__ void release_and_acquire(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int k = 0; k < 8; k++) out[k] = in[k] * 9;
        asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(5) : "memory");
    }
    if (blockIdx.x == 1 && threadIdx.x < 8) {
        unsigned seen;
        do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        while (seen != 5);
        out[16 + threadIdx.x] = out[7 - threadIdx.x] + 1;
    }
}
