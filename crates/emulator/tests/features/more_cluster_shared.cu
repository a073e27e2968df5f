// Shared memory of the other blocks of a cluster, read and written by PTX.
// launch: grid=4 block=64 cluster=4

extern "C" __global__ void more_cluster_shared(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64], sent[64];
    unsigned rank, count, there, got;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    values[threadIdx.x] = in[i];
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    unsigned own = (unsigned)__cvta_generic_to_shared(&values[63 - threadIdx.x]);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"((rank + 1) % count));
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(got) : "r"(there) : "memory");
    own = (unsigned)__cvta_generic_to_shared(&sent[threadIdx.x]);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank ^ 2));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(got + rank) : "memory");
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    out[i] = sent[threadIdx.x ^ 5] * 3 + got;
}
