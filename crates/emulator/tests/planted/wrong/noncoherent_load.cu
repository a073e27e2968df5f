// Mistake: ld.global.nc of a word that an atomic of the same launch changes.
// launch: grid=1 block=64
// finds: read-only
// line: 6 9
extern "C" __global__ void noncoherent_load(const unsigned *in, unsigned *out) {
    atomicAdd(out, in[threadIdx.x]);
    __syncthreads();
    unsigned sum;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(sum) : "l"(__cvta_generic_to_global(out)));
    out[64 + threadIdx.x] = sum;
}
