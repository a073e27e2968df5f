// A thread that leaves a barrier is not waited for in later phases; a state tells how many are still to come.
// launch: grid=2 block=32

extern "C" __global__ void more_mbarrier_drop(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), phases = 0, pending = 0;
    unsigned long long state;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 5;" ::"r"(place) : "memory");
        asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 3;" : "=l"(state) : "r"(place) : "memory");
        asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        for (unsigned round = 1; round < 4; ++round) {
            unsigned done;
            asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place), "l"(state) : "memory");
            phases += done;
            for (unsigned k = 0; k < 4; ++k) asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(place) : "memory");
        }
    }
    out[i] = in[i] + phases * 100 + pending;
}
