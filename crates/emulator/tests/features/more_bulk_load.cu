// One thread has a block of memory copied, all wait at the barrier in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void more_bulk_load(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ alignas(128) unsigned values[256];
    __shared__ unsigned long long barrier;
    unsigned target = (unsigned)__cvta_generic_to_shared(values), place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(place) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (unsigned phase = 0; phase < 2; ++phase) {
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place), "r"(1024) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
                         "l"(in + 256 * (2 * blockIdx.x + phase)), "r"(1024), "r"(place)
                         : "memory");
        }
        for (done = 0; !done;)
            asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.b32 %0, 1, 0, p;\n}"
                         : "=r"(done)
                         : "r"(place), "r"(phase)
                         : "memory");
        out[i + 1024 * phase] = values[3 * threadIdx.x] - values[255 - threadIdx.x];
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
    }
}
