// A generic pointer into another block's shared memory, made by mapa, is read like any other pointer.
// launch: grid=4 block=32 cluster=4
static __device__ unsigned cluster_generic_pointer_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
static __device__ void cluster_generic_pointer_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_generic_pointer(const unsigned *in, unsigned *out) {
    __shared__ unsigned long long values[32];
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x] * 9ull;
    cluster_generic_pointer_cluster_sync();
    unsigned sum = 0;
    for (unsigned rank = 0; rank < 4; rank++) {
        const unsigned long long *there;
        asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(values), "r"(rank));
        sum = sum * 3 + unsigned(there[31 - threadIdx.x] >> 4);
    }
    out[blockIdx.x * 32 + threadIdx.x] = sum + cluster_generic_pointer_rank();
    cluster_generic_pointer_cluster_sync();
}
