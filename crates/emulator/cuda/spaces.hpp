// Which memory an address belongs to, and addresses within one memory.
#pragma once

CUDA_FUNCTION unsigned __isShared(const void *address) {
    return emulated_is_shared(address) != 0;
}
CUDA_FUNCTION unsigned __isGlobal(const void *address) {
    return emulated_is_global(address) != 0;
}
CUDA_FUNCTION unsigned __isLocal(const void *address) {
    return emulated_is_local(address) != 0;
}
// Constants and parameters are neither of these.
CUDA_FUNCTION unsigned __isConstant(const void *address) {
    return !emulated_is_shared(address) && !emulated_is_global(address) && !emulated_is_local(address);
}
CUDA_FUNCTION unsigned __isGridConstant(const void *address) {
    return __isConstant(address);
}
CUDA_FUNCTION size_t __cvta_generic_to_shared(const void *address) {
    return emulated_to_shared(address);
}
CUDA_FUNCTION void *__cvta_shared_to_generic(size_t address) {
    return emulated_from_shared((emulated_u32)address);
}
// Only shared memory has addresses of its own here.
#define EMULATED_SPACE(space)                                           \
    CUDA_FUNCTION size_t __cvta_generic_to_##space(const void *address) { \
        return (size_t)address;                                         \
    }                                                                   \
    CUDA_FUNCTION void *__cvta_##space##_to_generic(size_t address) {   \
        return (void *)address;                                         \
    }
EMULATED_SPACE(global)
EMULATED_SPACE(local)
EMULATED_SPACE(constant)
EMULATED_SPACE(grid_constant)

#if __CUDA_ARCH__ >= 900
CUDA_FUNCTION void *__cluster_map_shared_rank(const void *address, unsigned rank) {
    return emulated_from_shared(emulated_map_shared(emulated_to_shared(address), rank));
}
CUDA_FUNCTION unsigned __cluster_query_shared_rank(const void *address) {
    const emulated_u32 shared = emulated_to_shared(address);
    for (unsigned rank = 0; rank < __clusterSizeInBlocks(); rank++) {
        if (emulated_map_shared(shared, rank) == shared) {
            return rank;
        }
    }
    return 0;
}
CUDA_FUNCTION unsigned __isCtaShared(const void *address) {
    return emulated_is_shared(address) && __cluster_query_shared_rank(address) == __clusterRelativeBlockRank();
}
CUDA_FUNCTION unsigned __isClusterShared(const void *address) {
    return emulated_is_shared(address) != 0;
}
#endif
