// Mistake: the flag is released, and read relaxed with no fence after it.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 13
extern "C" __global__ void load_relaxed(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512, seen = 0;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    } else {
        while (!seen) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        out[1] = out[0] + 1;
    }
}
