// The kernels that my-kernel.toml launches: Floyd-Warshall in tiles of TILE x TILE distances. A round takes the vertices of one
// tile after another as intermediate ones, with three launches:
//
//   diagonal  the tile on the diagonal, which depends on itself alone
//   panels    the other tiles of its row and column, which depend on the diagonal tile
//   rest      all other tiles, which depend on the panels
//
// repro.cuh comes with repro. It has KERNEL, the type `distance`, and the functions that this file calls but does not define.
#include "repro.cuh"

// repro gives the value of the parameter `tile` of my-kernel.toml. This is for other compilers, and for `repro check`.
#ifndef TILE
#define TILE 32
#endif

// A block has TILE x TILE threads, one for each distance of a tile. Threads that are neighbours in x load neighbours in memory.
static __device__ __forceinline__ distance *element(distance *d, int pitch, int tile_row, int tile_column) {
    const int row = tile_row * TILE + threadIdx.y;
    const int column = tile_column * TILE + threadIdx.x;
    return &d[(size_t)row * pitch + column];
}

KERNEL void __launch_bounds__(TILE * TILE) diagonal(distance *d, int pitch, int round) {
    __shared__ distance tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    distance *const own = element(d, pitch, round, round);
    tile[y][x] = *own;
    for (int k = 0; k < TILE; ++k) {
        // Every distance through k - 1 must be stored before one through k is calculated. relax_in_place stores only what is
        // shorter: row k and column k, which others read meanwhile, then stay as they are, and no race is left.
        __syncthreads();
        relax_in_place(&tile[y][x], tile[y][k], tile[k][x]);
    }
    *own = tile[y][x];
}

// blockIdx.y = 0: the tiles in the row of the diagonal tile; 1: those in its column.
KERNEL void __launch_bounds__(TILE * TILE) panels(distance *d, int pitch, int round) {
    __shared__ distance on_diagonal[TILE][TILE];
    __shared__ distance tile[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int other = skip_round(blockIdx.x, round);
    const bool in_row = blockIdx.y == 0;
    distance *const own = in_row ? element(d, pitch, round, other) : element(d, pitch, other, round);
    on_diagonal[y][x] = *element(d, pitch, round, round);
    tile[y][x] = *own;
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        if (in_row) {
            relax_in_place(&tile[y][x], on_diagonal[y][k], tile[k][x]);
        } else {
            relax_in_place(&tile[y][x], tile[y][k], on_diagonal[k][x]);
        }
    }
    *own = tile[y][x];
}

KERNEL void __launch_bounds__(TILE * TILE) rest(distance *d, int pitch, int round) {
    __shared__ distance to[TILE][TILE];
    __shared__ distance from[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int tile_row = skip_round(blockIdx.y, round);
    const int tile_column = skip_round(blockIdx.x, round);
    distance *const own = element(d, pitch, tile_row, tile_column);
    to[y][x] = *element(d, pitch, tile_row, round);
    from[y][x] = *element(d, pitch, round, tile_column);
    distance known = *own;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        known = relax(known, to[y][k], from[k][x]);
    }
    *own = known;
}
