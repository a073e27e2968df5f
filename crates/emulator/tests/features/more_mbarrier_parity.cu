// Phases told apart by their parity, with a wait that loops in PTX.
// launch: grid=2 block=64

__device__ __forceinline__ void more_mbarrier_parity_wait(unsigned place, unsigned parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@done bra ready;\n"
                 "bra again;\n"
                 "ready:\n"
                 "}\n" ::"r"(place), "r"(parity) : "memory");
}

extern "C" __global__ void more_mbarrier_parity(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    __shared__ unsigned long long barriers[2];
    unsigned first = (unsigned)__cvta_generic_to_shared(&barriers[0]), second = first + 8, sum = 0;
    if (threadIdx.x < 2) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(first + 8 * threadIdx.x) : "memory");
    __syncthreads();
    for (unsigned round = 0; round < 5; ++round) {
        values[threadIdx.x] = in[i] + round;
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(first) : "memory");
        more_mbarrier_parity_wait(first, round & 1);
        sum = sum * 3 + values[63 - threadIdx.x];
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0], 1;" ::"r"(second) : "memory");
        more_mbarrier_parity_wait(second, round & 1);
    }
    out[i] = sum;
}
