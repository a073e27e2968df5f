// Mistake: the producer leaves its loop one round early and never arrives for the last buffer.
// launch: grid=1 block=64
// finds: stuck
// line: 14
extern "C" __global__ void stuck_named_barrier(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[4][32];
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; k++)
        if (threadIdx.x < 32) {
            if (k == 3) break;
            values[k][threadIdx.x] = in[k * 32 + threadIdx.x];
            asm volatile("barrier.arrive %0, 64;" ::"r"(k + 1) : "memory");
        } else {
            asm volatile("barrier.sync %0, 64;" ::"r"(k + 1) : "memory");
            sum = sum * 3 + values[k][63 - threadIdx.x];
        }
    out[threadIdx.x] = sum;
}
