// What the threads of a block and of a cluster do together, and what orders memory among them.
#pragma once

CUDA_FUNCTION void __syncthreads() {
    emulated_barrier(0, 0, EMULATED_BARRIER_SYNC, 0);
}
CUDA_FUNCTION int __syncthreads_count(int predicate) {
    return (int)emulated_barrier(0, 0, EMULATED_BARRIER_COUNT, predicate != 0);
}
CUDA_FUNCTION int __syncthreads_and(int predicate) {
    return (int)emulated_barrier(0, 0, EMULATED_BARRIER_AND, predicate != 0);
}
CUDA_FUNCTION int __syncthreads_or(int predicate) {
    return (int)emulated_barrier(0, 0, EMULATED_BARRIER_OR, predicate != 0);
}
CUDA_FUNCTION void __barrier_sync(unsigned id) {
    emulated_barrier(id, 0, EMULATED_BARRIER_SYNC, 0);
}
CUDA_FUNCTION void __barrier_sync_count(unsigned id, unsigned threads) {
    emulated_barrier(id, threads, EMULATED_BARRIER_SYNC, 0);
}

CUDA_FUNCTION void __threadfence() {
    emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_DEVICE);
}
CUDA_FUNCTION void __threadfence_block() {
    emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_BLOCK);
}
CUDA_FUNCTION void __threadfence_system() {
    emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_SYSTEM);
}

#if __CUDA_ARCH__ >= 900
CUDA_FUNCTION void __threadfence_cluster() {
    emulated_fence(EMULATED_ACQ_REL, EMULATED_OF_CLUSTER);
}
CUDA_FUNCTION void __cluster_barrier_arrive() {
    emulated_cluster_arrive(EMULATED_RELEASE);
}
CUDA_FUNCTION void __cluster_barrier_arrive_relaxed() {
    emulated_cluster_arrive(EMULATED_RELAXED);
}
CUDA_FUNCTION void __cluster_barrier_wait() {
    emulated_cluster_wait(EMULATED_ACQUIRE);
}
CUDA_FUNCTION dim3 __clusterDim() {
    return emulated_indexes.cluster_extent;
}
CUDA_FUNCTION dim3 __clusterRelativeBlockIdx() {
    return emulated_indexes.cluster_block;
}
CUDA_FUNCTION unsigned __clusterRelativeBlockRank() {
    const uint3 extent = emulated_indexes.cluster_extent, block = emulated_indexes.cluster_block;
    return block.x + extent.x * (block.y + extent.y * block.z);
}
CUDA_FUNCTION unsigned __clusterSizeInBlocks() {
    const uint3 extent = emulated_indexes.cluster_extent;
    return extent.x * extent.y * extent.z;
}
CUDA_FUNCTION dim3 __clusterGridDimInClusters() {
    const uint3 extent = emulated_indexes.cluster_extent;
    return dim3(gridDim.x / extent.x, gridDim.y / extent.y, gridDim.z / extent.z);
}
CUDA_FUNCTION dim3 __clusterIdx() {
    const uint3 extent = emulated_indexes.cluster_extent;
    return dim3(blockIdx.x / extent.x, blockIdx.y / extent.y, blockIdx.z / extent.z);
}
CUDA_FUNCTION unsigned __clusterDimIsSpecified() {
    return __clusterSizeInBlocks() > 1;
}
#endif

CUDA_FUNCTION void __nanosleep(unsigned) {
    emulated_pause();
}
CUDA_FUNCTION clock_t clock() {
    return (clock_t)(int)emulated_clock();
}
CUDA_FUNCTION long long clock64() {
    return (long long)emulated_clock();
}
// Marks for tools that watch a GPU.
CUDA_FUNCTION void __prof_trigger(int) {
}
