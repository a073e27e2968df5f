// Hints for the second-level cache, given to loads, stores and copies.
// launch: grid=2 block=64

extern "C" __global__ void more_cache_policy(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(16) unsigned values[64];
    __shared__ unsigned long long barrier;
    unsigned long long keep, drop;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), value, done = 0;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(drop));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(in + i), "l"(keep) : "memory");
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + 1024 + i), "r"(value + 1), "l"(drop) : "memory");
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async.shared::cta;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(place) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], 256, [%2], %3;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(values)), "l"(in + 64 * blockIdx.x), "r"(place), "l"(drop) : "memory");
    }
    __syncthreads();
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = values[63 - threadIdx.x] ^ value;
}
