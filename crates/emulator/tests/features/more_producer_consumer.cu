// One warp fills a ring of stages by bulk copies, the others empty it.
// launch: grid=2 block=96

__device__ __forceinline__ void more_producer_consumer_wait(unsigned place, unsigned parity) {
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "r"(parity) : "memory");
}

extern "C" __global__ void more_producer_consumer(const unsigned *in, unsigned *out) {
    constexpr unsigned stages = 3, rounds = 8;
    __shared__ alignas(128) unsigned values[stages][64];
    __shared__ unsigned long long full[stages], empty[stages];
    unsigned first_full = (unsigned)__cvta_generic_to_shared(full), first_empty = (unsigned)__cvta_generic_to_shared(empty);
    if (threadIdx.x < stages) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(first_full + 8 * threadIdx.x) : "memory");
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(first_empty + 8 * threadIdx.x) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x >= 64) {
        for (unsigned round = 0; threadIdx.x == 64 && round < rounds; ++round) {
            unsigned stage = round % stages, barrier = first_full + 8 * stage;
            // The first round through the ring waits for the phase before the first: it has ended.
            more_producer_consumer_wait(first_empty + 8 * stage, (round / stages & 1) ^ 1);
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(barrier) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(
                             (unsigned)__cvta_generic_to_shared(values[stage])), "l"(in + 64 * (round * 2 + blockIdx.x)), "r"(barrier) : "memory");
        }
        return;
    }
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned stage = round % stages;
        more_producer_consumer_wait(first_full + 8 * stage, round / stages & 1);
        sum = sum * 3 + values[stage][threadIdx.x] - values[stage][63 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(first_empty + 8 * stage) : "memory");
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
