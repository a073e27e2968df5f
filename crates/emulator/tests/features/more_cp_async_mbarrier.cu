// Copies of all threads that end at a barrier in shared memory.
// launch: grid=2 block=64

extern "C" __global__ void more_cp_async_mbarrier(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[256];
    __shared__ unsigned long long barrier;
    unsigned place = (unsigned)__cvta_generic_to_shared(&barrier), done = 0;
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place), "r"(blockDim.x) : "memory");
    __syncthreads();
    unsigned target = (unsigned)__cvta_generic_to_shared(&values[4 * threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(place) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(place) : "memory");
    out[i] = values[threadIdx.x] ^ values[255 - threadIdx.x];
}
