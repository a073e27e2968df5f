// === cluster_dims
// A kernel that fixes the size of its clusters.
// launch: grid=4 block=64 cluster=2

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_dims(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rank, count;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
    out[i] = in[i] + rank * 100 + count * 10000;
}

// === more_cluster_atomics
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

// === more_cluster_pointer
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

// === more_cluster_shared
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
