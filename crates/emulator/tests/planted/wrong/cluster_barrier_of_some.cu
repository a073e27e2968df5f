// Mistake: one warp of the second block never arrives at the cluster's barrier.
// launch: grid=2 block=64 cluster=2
// finds: divergent-barrier stuck
// line: 6 11 12
static __device__ void cluster_barrier_of_some_cluster_sync() {
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern "C" __global__ void cluster_barrier_of_some(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[64];
    values[threadIdx.x] = in[threadIdx.x];
    if (blockIdx.x == 0 || threadIdx.x < 32) cluster_barrier_of_some_cluster_sync();
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];
}
