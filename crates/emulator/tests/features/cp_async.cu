// === cp_async_ptx
// Copies to shared memory by PTX, in groups.
// launch: grid=2 block=64

extern "C" __global__ void cp_async_ptx(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[256];
    unsigned target = (unsigned)__cvta_generic_to_shared(&values[4 * threadIdx.x]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * i) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + values[(threadIdx.x + 64 * k) % 256];
    out[i] = sum;
}

// === more_cp_async_groups
// Two copies under way at a time: each wait leaves the newest group alone.
// launch: grid=2 block=64

extern "C" __global__ void more_cp_async_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned stages[2][64 * 4];
    unsigned sum = 0;
    for (unsigned round = 0; round <= 4; ++round) {
        if (round < 4) {
            unsigned target = (unsigned)__cvta_generic_to_shared(&stages[round % 2][4 * threadIdx.x]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(in + 4 * i + 512 * round) : "memory");
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (round == 0) continue;
        asm volatile("cp.async.wait_group %0;" ::"n"(1) : "memory");
        __syncthreads();
        for (unsigned k = 0; k < 4; ++k) sum = sum * 3 + stages[(round - 1) % 2][(threadIdx.x * 5 + k) % 256];
        __syncthreads();
    }
    out[i] = sum;
}

// === more_cp_async_mbarrier
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

// === more_cp_async_sizes
// Copies of 4, 8 and 16 bytes, some shorter at the source: the rest is zero.
// launch: grid=2 block=64

extern "C" __global__ void more_cp_async_sizes(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ __align__(16) unsigned values[64 * 8];
    for (unsigned k = 0; k < 8; ++k) values[8 * threadIdx.x + k] = ~0u;
    __syncthreads();
    unsigned target = (unsigned)__cvta_generic_to_shared(&values[8 * threadIdx.x]), bytes = in[i] % 5 * 4;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(in + i) : "memory");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(target + 8), "l"(in + 2 * i), "r"(bytes & 4) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(target + 16), "l"(in + 4 * i), "r"(bytes) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    unsigned sum = 0;
    for (unsigned k = 0; k < 8; ++k) sum = sum * 7 + values[8 * (63 - threadIdx.x) + k];
    out[i] = sum;
}
