// Pairs of warps that wait for each other at barriers of their own.
// launch: grid=2 block=128

extern "C" __global__ void more_named_barrier(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[128];
    unsigned pair = threadIdx.x / 64, other = pair * 64 + (threadIdx.x * 3 + 40) % 64, sum = 0;
    for (unsigned round = 0; round < 2 + pair; ++round) {
        values[threadIdx.x] = in[i] + round + sum;
        asm volatile("bar.sync %0, %1;" ::"r"(pair + 1), "r"(64) : "memory");
        sum += values[other];
        asm volatile("barrier.cta.sync.aligned %0, 64;" ::"r"(pair + 1) : "memory");
    }
    asm volatile("bar.sync 0;" ::: "memory");
    out[i] = sum + values[127 - threadIdx.x];
}
