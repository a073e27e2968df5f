// Two producing and two consuming warps, two buffers, a full and an empty barrier for each.
// launch: grid=1 block=128
extern "C" __global__ void named_barrier_two_buffers(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffers[2][64];
    const unsigned i = threadIdx.x % 64;
    unsigned sum = 0;
    for (int step = 0; step < 12; step++)
        if (threadIdx.x < 64) {
            if (step > 1) asm volatile("barrier.sync %0, 128;" ::"r"(3 + step % 2) : "memory");
            buffers[step % 2][i] = in[step * 64 + i];
            asm volatile("barrier.arrive %0, 128;" ::"r"(1 + step % 2) : "memory");
        } else {
            asm volatile("barrier.sync %0, 128;" ::"r"(1 + step % 2) : "memory");
            sum = sum * 7 + buffers[step % 2][63 - i] + buffers[step % 2][(i + 1) % 64];
            if (step < 10) asm volatile("barrier.arrive %0, 128;" ::"r"(3 + step % 2) : "memory");
        }
    if (threadIdx.x >= 64) out[i] = sum;
}
