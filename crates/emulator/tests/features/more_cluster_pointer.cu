// A generic address of another block's shared memory, used as any other.
// launch: grid=4 block=32 cluster=2

extern "C" __global__ void more_cluster_pointer(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float values[32];
    unsigned rank, x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
    values[threadIdx.x] = (float)(in[i] & 0xffff);
    asm volatile("barrier.cluster.arrive.release;\n barrier.cluster.wait.acquire;" ::: "memory");
    float *other;
    asm("mapa.u64 %0, %1, %2;" : "=l"(other) : "l"(values), "r"(rank ^ 1));
    float sum = other[threadIdx.x] + values[31 - threadIdx.x];
    out[i] = (unsigned)sum + x;
    asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;" ::: "memory");
}
