// A phase waits for bytes beside its arrivals; bytes can be told before and after the copy.
// launch: grid=2 block=64

extern "C" __global__ void more_mbarrier_bytes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[128];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), target = (unsigned)__cvta_generic_to_shared(values), done = 0, early;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 65;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
    __syncthreads();
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place) : "memory");
    // One arrival is still missing: no test can succeed.
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(early) : "r"(place) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(place) : "memory");
        for (unsigned half = 0; half < 2; ++half)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(target + 256 * half),
                         "l"(in + 128 * blockIdx.x + 64 * half), "r"(place)
                         : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
    }
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = values[threadIdx.x] * 2 + values[127 - threadIdx.x] + early;
}
