// Counters in the shared memory of another block of a cluster.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void more_cluster_atomics(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned sums[4];
    if (threadIdx.x < 4) sums[threadIdx.x] = 0;
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    unsigned first, old;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"((unsigned)__cvta_generic_to_shared(sums)));
    asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(first), "r"(in[i]) : "memory");
    asm volatile("red.shared::cluster.max.u32 [%0], %1;" ::"r"(first + 4), "r"(in[i]) : "memory");
    asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(first + 8), "r"(1) : "memory");
    atomicAdd(&out[1024 + 128 * (blockIdx.x / 2) + old], 1);
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x < 4) out[blockIdx.x * 4 + threadIdx.x] = sums[threadIdx.x];
}
