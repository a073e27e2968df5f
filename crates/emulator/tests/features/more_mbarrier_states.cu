// A thread arrives, works, and then asks by the state that it got.
// launch: grid=2 block=64

extern "C" __global__ void more_mbarrier_states(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), sum = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(64) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 4; ++round) {
        values[threadIdx.x] = in[i] * (round + 1);
        unsigned long long state;
        unsigned done = 0;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        unsigned own = in[i + round] & 0xff;
        while (!done)
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "l"(state) : "memory");
        sum += values[(threadIdx.x + 11) % 64] + own;
        __syncthreads();
    }
    out[i] = sum;
    if (threadIdx.x == 0) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(place) : "memory");
}
