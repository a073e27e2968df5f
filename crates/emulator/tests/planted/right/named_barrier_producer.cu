// One warp produces and arrives, the other waits; a second barrier hands the buffer back.
// launch: grid=2 block=64
extern "C" __global__ void named_barrier_producer(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffer[32];
    const unsigned lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int step = 0; step < 10; step++)
        if (threadIdx.x < 32) {
            if (step) asm volatile("bar.sync 2, 64;" ::: "memory");
            buffer[lane] = in[blockIdx.x * 512 + step * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum = sum * 3 + buffer[31 - lane];
            if (step < 9) asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    if (threadIdx.x >= 32) out[blockIdx.x * 32 + lane] = sum;
}
