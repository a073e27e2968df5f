// Layout changes between the row-major n x n matrix that is copied in and out and what a kernel works on. Timed by the
// scope `device`, not by `kernel`. Padding vertices have no edges: ABSENT, and 0 on the
// diagonal.

#include "repro.cuh"
#include "digest.cuh"
#include "doubly_tiled.cuh"

#define THREADS 256

static __device__ __forceinline__ distance entry_or_padding(const distance *matrix, int n, int i, int j) {
    if (i < n && j < n) {
        return matrix[(size_t)i * n + j];
    }
    return i == j ? (distance)0 : ABSENT;
}

/// matrix: n x n -> padded: row-major, `pitch` x `pitch`; one block a 256-column part of a row.
KERNEL void pad_rows(const distance *matrix, int n, distance *padded, int pitch) {
    const int i = blockIdx.y;
    const int j = blockIdx.x * THREADS + threadIdx.x;
    if (j < pitch) {
        padded[(size_t)i * pitch + j] = entry_or_padding(matrix, n, i, j);
    }
}

/// The inverse of `pad_rows`.
KERNEL void unpad_rows(const distance *padded, int pitch, distance *matrix, int n) {
    const int i = blockIdx.y;
    const int j = blockIdx.x * THREADS + threadIdx.x;
    if (j < n) {
        matrix[(size_t)i * n + j] = padded[(size_t)i * pitch + j];
    }
}

/// matrix: n x n -> tiled: doubly tiled, `tiles` x `tiles` tiles of 32 x 32; one block a tile.
KERNEL void tile_twice(const distance *matrix, int n, distance *tiled, int tiles) {
    distance *tile = tiled + tile_start(blockIdx.y, blockIdx.x, tiles);
    for (int e = threadIdx.x; e < TILE_ELEMENTS; e += THREADS) {
        tile[e] = entry_or_padding(matrix, n, blockIdx.y * TILE + row_of(e), blockIdx.x * TILE + column_of(e));
    }
}

/// The inverse of `tile_twice`.
KERNEL void untile_twice(const distance *tiled, int tiles, distance *matrix, int n) {
    const distance *tile = tiled + tile_start(blockIdx.y, blockIdx.x, tiles);
    for (int e = threadIdx.x; e < TILE_ELEMENTS; e += THREADS) {
        const int i = blockIdx.y * TILE + row_of(e);
        const int j = blockIdx.x * TILE + column_of(e);
        if (i < n && j < n) {
            matrix[(size_t)i * n + j] = tile[e];
        }
    }
}

/// Adds a number to sums[slot] that depends on every bit of `rows` x n distances of `matrix`, whose rows lie `pitch` entries apart, and on
/// where each is: equal results have equal sums, in whatever order blocks add.
KERNEL void digest_rows(const distance *matrix, int rows, int n, int pitch, unsigned long long *sums, int slot) {
    unsigned long long sum = 0;
    for (int i = blockIdx.x; i < rows; i += gridDim.x) {
        for (int j = threadIdx.x; j < n; j += THREADS) {
            sum += name_of(matrix[(size_t)i * pitch + j], (size_t)i * n + j);
        }
    }
    add_up(sum, &sums[slot]);
}
