// Layout changes between the row-major n x n matrix that is copied in and out and contiguous tiles of any side, as kernels from outside of
// this project may want them. Padding vertices have no edges: ABSENT, and 0 on the diagonal.

#include "repro.cuh"

#define THREADS 256

/// matrix: n x n -> tiled: `tiles` x `tiles` tiles of `side` x `side`, each contiguous and row-major; one block a tile.
KERNEL void to_tiles(const distance *matrix, int n, distance *tiled, int tiles, int side) {
    distance *tile = tiled + ((size_t)blockIdx.y * tiles + blockIdx.x) * side * side;
    for (int e = threadIdx.x; e < side * side; e += THREADS) {
        const int i = blockIdx.y * side + e / side;
        const int j = blockIdx.x * side + e % side;
        const distance padding = i == j ? (distance)0 : ABSENT;
        tile[e] = i < n && j < n ? matrix[(size_t)i * n + j] : padding;
    }
}

/// The inverse of `to_tiles`.
KERNEL void from_tiles(const distance *tiled, int tiles, distance *matrix, int n, int side) {
    const distance *tile = tiled + ((size_t)blockIdx.y * tiles + blockIdx.x) * side * side;
    for (int e = threadIdx.x; e < side * side; e += THREADS) {
        const int i = blockIdx.y * side + e / side;
        const int j = blockIdx.x * side + e % side;
        if (i < n && j < n) {
            matrix[(size_t)i * n + j] = tile[e];
        }
    }
}
