// Each half of the block works on its own with a barrier of its own, and for a different number of steps.
// launch: grid=1 block=128
extern "C" __global__ void named_barrier_halves(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[2][64];
    const unsigned half = threadIdx.x / 64, i = threadIdx.x % 64;
    values[half][i] = in[threadIdx.x];
    for (unsigned step = 0; step < 3 + half * 4; step++) {
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        const unsigned next = values[half][(i + 1) % 64];
        asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
        values[half][i] += next * 3;
    }
    __syncthreads();
    out[threadIdx.x] = values[1 - half][i];
}
