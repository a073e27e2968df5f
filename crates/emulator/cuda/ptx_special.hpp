// Special registers.
#pragma once

namespace emulated_ptx {
static __forceinline__ u32 laneid() {
    return emulated_lane();
}
static __forceinline__ u32 warpid() {
    const EmulatedIndexes &at = emulated_indexes;
    return (at.thread.x + at.block_extent.x * (at.thread.y + at.block_extent.y * at.thread.z)) / 32;
}
static __forceinline__ u32 nwarpid() {
    return 64;
}
static __forceinline__ u32 lanemask_eq() {
    return 1u << laneid();
}
static __forceinline__ u32 lanemask_lt() {
    return lanemask_eq() - 1;
}
static __forceinline__ u32 lanemask_le() {
    return lanemask_lt() | lanemask_eq();
}
static __forceinline__ u32 lanemask_gt() {
    return ~lanemask_le();
}
static __forceinline__ u32 lanemask_ge() {
    return ~lanemask_lt();
}
// A multiprocessor for each block, as far as they go.
static __forceinline__ u32 nsmid() {
    return 132;
}
static __forceinline__ u32 smid() {
    const EmulatedIndexes &at = emulated_indexes;
    return (at.block.x + at.grid_extent.x * (at.block.y + at.grid_extent.y * at.block.z)) % 132;
}
static __forceinline__ u32 gridid() {
    return 1;
}
static __forceinline__ u32 cluster_ctarank() {
    const uint3 block = emulated_indexes.cluster_block, extent = emulated_indexes.cluster_extent;
    return block.x + extent.x * (block.y + extent.y * block.z);
}
static __forceinline__ u32 cluster_nctarank() {
    const uint3 extent = emulated_indexes.cluster_extent;
    return extent.x * extent.y * extent.z;
}
static __forceinline__ u32 is_explicit_cluster() {
    return cluster_nctarank() > 1;
}
#define EMULATED_CLUSTER_PLACE(at)                                                  \
    static __forceinline__ u32 clusterid_##at() {                                   \
        return emulated_indexes.block.at / emulated_indexes.cluster_extent.at;      \
    }                                                                               \
    static __forceinline__ u32 nclusterid_##at() {                                  \
        return emulated_indexes.grid_extent.at / emulated_indexes.cluster_extent.at; \
    }
EMULATED_CLUSTER_PLACE(x)
EMULATED_CLUSTER_PLACE(y)
EMULATED_CLUSTER_PLACE(z)
static __forceinline__ u64 clock64() {
    return emulated_clock();
}
static __forceinline__ u32 clock() {
    return (u32)emulated_clock();
}
static __forceinline__ u32 clock_hi() {
    return (u32)(emulated_clock() >> 32);
}
static __forceinline__ u64 globaltimer() {
    return emulated_clock();
}
static __forceinline__ u32 globaltimer_lo() {
    return (u32)emulated_clock();
}
static __forceinline__ u32 globaltimer_hi() {
    return (u32)(emulated_clock() >> 32);
}
static __forceinline__ u32 dynamic_smem_size() {
    return emulated_indexes.dynamic_bytes;
}
static __forceinline__ u32 total_smem_size() {
    return emulated_indexes.dynamic_bytes;
}
} // namespace emulated_ptx
