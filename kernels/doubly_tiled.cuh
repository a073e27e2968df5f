// The doubly tiled layout of Lund & Smith (2010), section 4.3: 32 x 32 tiles in row-major order, each of 4 x 4 tiles in
// row-major order, every tile of either kind contiguous. Four rows or four columns of a tile are then runs of at least
// 16 contiguous words.
#pragma once

#define TILE 32
#define SMALL 4
#define SMALL_ELEMENTS (SMALL * SMALL)
#define SMALL_PER_SIDE (TILE / SMALL)
#define TILE_ELEMENTS (TILE * TILE)

/// The row, within its 32 x 32 tile, of the element stored at position e of the tile.
static __device__ __forceinline__ int row_of(int e) {
    return (e / SMALL_ELEMENTS / SMALL_PER_SIDE) * SMALL + e % SMALL_ELEMENTS / SMALL;
}

/// Its column.
static __device__ __forceinline__ int column_of(int e) {
    return (e / SMALL_ELEMENTS % SMALL_PER_SIDE) * SMALL + e % SMALL;
}

/// The first element of a 32 x 32 tile in a matrix of `tiles` x `tiles` of them.
static __device__ __forceinline__ size_t tile_start(int tile_row, int tile_column, int tiles) {
    return ((size_t)tile_row * tiles + tile_column) * TILE_ELEMENTS;
}
