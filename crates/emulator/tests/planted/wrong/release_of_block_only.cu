// Mistake: the release has the scope of the block, and another block acquires.
// launch: grid=2 block=32
// finds: race-between-blocks
// line: 9 10 12 13
extern "C" __global__ void release_of_block_only(const unsigned *in, unsigned *out) {
    unsigned *flag = out + 512, seen = 0;
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        out[0] = in[3];
        asm volatile("st.release.cta.global.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(flag)) : "memory");
    } else {
        while (!seen) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(__cvta_generic_to_global(flag)) : "memory");
        out[1] = out[0] + 1;
    }
}
