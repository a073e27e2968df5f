// Groups of threads: blocks, clusters, tiles of a warp, threads that happen to be together.
#pragma once

#include "cooperative_groups/lanes.hpp"

namespace cooperative_groups {

// Any group, for functions that take whichever they are given.
class thread_group {
protected:
    // The lanes of a part of a warp; 0: the whole block.
    unsigned lanes;
    unsigned part, parts;
    constexpr thread_group(unsigned lanes, unsigned part, unsigned parts) : lanes(lanes), part(part), parts(parts) {
    }

public:
    __forceinline__ void sync() const {
        lanes == 0 ? __syncthreads() : __syncwarp(lanes);
    }
    __forceinline__ unsigned long long size() const {
        return lanes == 0 ? blockDim.x * blockDim.y * blockDim.z : (unsigned)__builtin_popcount(lanes);
    }
    __forceinline__ unsigned long long num_threads() const {
        return size();
    }
    __forceinline__ unsigned long long thread_rank() const {
        return lanes == 0 ? threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) : details::rank_of(lanes, emulated_lane());
    }
};

class thread_block : public thread_group {
    constexpr thread_block() : thread_group(0, 0, 1) {
    }
    friend thread_block this_thread_block();

public:
    struct arrival_token {};
    static __forceinline__ void sync() {
        __syncthreads();
    }
    static __forceinline__ arrival_token barrier_arrive() {
        return {};
    }
    static __forceinline__ void barrier_wait(arrival_token &&) {
        __syncthreads();
    }
    static __forceinline__ unsigned size() {
        return blockDim.x * blockDim.y * blockDim.z;
    }
    static __forceinline__ unsigned num_threads() {
        return size();
    }
    static __forceinline__ unsigned thread_rank() {
        return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    }
    static __forceinline__ dim3 group_index() {
        return blockIdx;
    }
    static __forceinline__ dim3 thread_index() {
        return threadIdx;
    }
    static __forceinline__ dim3 group_dim() {
        return blockDim;
    }
    static __forceinline__ dim3 dim_threads() {
        return blockDim;
    }
};
inline thread_block this_thread_block() {
    return thread_block();
}
// What tiles of several warps need of shared memory, which capability 8.0 and newer have elsewhere.
template <unsigned threads = 1024>
struct __attribute__((aligned(8))) block_tile_memory {};
template <unsigned threads>
static __forceinline__ thread_block this_thread_block(block_tile_memory<threads> &) {
    return this_thread_block();
}

// All blocks of a launch. To wait for one another they would have to be launched together, which is not emulated.
class grid_group {
    friend grid_group this_grid();

public:
    static constexpr bool is_valid() {
        return false;
    }
    static void sync() __attribute__((error("a barrier of the whole grid needs a cooperative launch, which is not emulated: end the kernel there, and launch another")));
    static __forceinline__ unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static __forceinline__ unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    static __forceinline__ unsigned long long num_threads() {
        return num_blocks() * thread_block::size();
    }
    static __forceinline__ unsigned long long size() {
        return num_threads();
    }
    static __forceinline__ unsigned long long thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static __forceinline__ dim3 group_dim() {
        return gridDim;
    }
    static __forceinline__ dim3 dim_blocks() {
        return gridDim;
    }
    static __forceinline__ dim3 block_index() {
        return blockIdx;
    }
#if __CUDA_ARCH__ >= 900
    static __forceinline__ dim3 dim_clusters() {
        return __clusterGridDimInClusters();
    }
    static __forceinline__ unsigned long long num_clusters() {
        const dim3 clusters = dim_clusters();
        return (unsigned long long)clusters.x * clusters.y * clusters.z;
    }
    static __forceinline__ dim3 cluster_index() {
        return __clusterIdx();
    }
    static __forceinline__ unsigned long long cluster_rank() {
        const dim3 clusters = dim_clusters(), index = cluster_index();
        return index.x + (unsigned long long)clusters.x * (index.y + (unsigned long long)clusters.y * index.z);
    }
#endif
};
inline grid_group this_grid() {
    return grid_group();
}

#if __CUDA_ARCH__ >= 900
class cluster_group {
    friend cluster_group this_cluster();

public:
    struct arrival_token {};
    static __forceinline__ void sync() {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static __forceinline__ arrival_token barrier_arrive() {
        __cluster_barrier_arrive();
        return {};
    }
    static __forceinline__ void barrier_wait() {
        __cluster_barrier_wait();
    }
    static __forceinline__ void barrier_wait(arrival_token &&) {
        __cluster_barrier_wait();
    }
    template <class T>
    static __forceinline__ T *map_shared_rank(T *address, int rank) {
        return (T *)__cluster_map_shared_rank((const void *)address, (unsigned)rank);
    }
    static __forceinline__ unsigned query_shared_rank(const void *address) {
        return __cluster_query_shared_rank(address);
    }
    static __forceinline__ dim3 block_index() {
        return __clusterRelativeBlockIdx();
    }
    static __forceinline__ unsigned block_rank() {
        return __clusterRelativeBlockRank();
    }
    static __forceinline__ dim3 dim_blocks() {
        return __clusterDim();
    }
    static __forceinline__ unsigned num_blocks() {
        return __clusterSizeInBlocks();
    }
    static __forceinline__ dim3 dim_threads() {
        const dim3 blocks = __clusterDim();
        return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
    }
    static __forceinline__ dim3 thread_index() {
        const dim3 block = __clusterRelativeBlockIdx();
        return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y, block.z * blockDim.z + threadIdx.z);
    }
    static __forceinline__ unsigned num_threads() {
        return num_blocks() * thread_block::size();
    }
    static __forceinline__ unsigned size() {
        return num_threads();
    }
    static __forceinline__ unsigned thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
};
inline cluster_group this_cluster() {
    return cluster_group();
}
#endif

} // namespace cooperative_groups

#include "cooperative_groups/tiles.hpp"
