// Mistake: nothing tells the producer that the consumer has read the buffer.
// launch: grid=1 block=64
// finds: race-in-block barrier-misuse
// line: 10 14
extern "C" __global__ void named_barrier_no_way_back(const unsigned *in, unsigned *out) {
    __shared__ unsigned buffers[2][32];
    unsigned sum = 0;
    for (unsigned k = 0; k < 2; k++)
        if (threadIdx.x < 32) {
            buffers[0][threadIdx.x] = in[k * 32 + threadIdx.x];
            asm volatile("barrier.arrive %0, 64;" ::"r"(k + 1) : "memory");
        } else {
            asm volatile("barrier.sync %0, 64;" ::"r"(k + 1) : "memory");
            sum = sum * 3 + buffers[0][63 - threadIdx.x];
        }
    if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}
