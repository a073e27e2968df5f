// Shared memory of the other blocks of a cluster, by cooperative groups.
// launch: grid=4 block=64 cluster=2
// needs: cooperative_groups.h

#include <cooperative_groups.h>
extern "C" __global__ void more_cluster_groups(const unsigned *in, unsigned *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ unsigned values[64];
    auto cluster = cooperative_groups::this_cluster();
    unsigned rank = cluster.block_rank();
    values[threadIdx.x] = in[i];
    cluster.sync();
    const unsigned *other = cluster.map_shared_rank(values, rank ^ 1);
    unsigned sum = other[63 - threadIdx.x] + cluster.num_blocks() * 100 + cluster.thread_rank() + cluster.query_shared_rank(other);
    auto token = cluster.barrier_arrive();
    out[i] = sum;
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
}
