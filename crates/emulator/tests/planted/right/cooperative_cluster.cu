// The group of the cluster is its barrier and gives pointers into the other blocks' shared memory.
// launch: grid=4 block=32 cluster=2
// needs: cooperative_groups.h
#include <cooperative_groups.h>
extern "C" __global__ void cooperative_cluster(const unsigned *in, unsigned *out) {
    __shared__ unsigned values[32];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    values[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    cluster.sync();
    const unsigned *there = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
    out[blockIdx.x * 32 + threadIdx.x] = there[31 - threadIdx.x] * 3;
    cluster.sync();
}
