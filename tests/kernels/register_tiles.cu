// Written with docs/your-own-kernel.md alone: contiguous tiles, dynamic shared memory, R x R distances a thread.
#include "repro.cuh"
#define R 4
#define T (TILE / R)

// Tile (i, j) of `tiles` x `tiles`.
static __device__ distance *tile_of(distance *d, int tiles, int i, int j) {
    return d + ((size_t)i * tiles + j) * TILE * TILE;
}

static __device__ void load(distance *shared, const distance *tile) {
    const int t = threadIdx.y * T + threadIdx.x;
    for (int e = t; e < TILE * TILE; e += T * T) {
        shared[e] = tile[e];
    }
}

// Each thread has rows y, y + T, ... and columns x, x + T, ...
KERNEL void first(distance *d, int tiles, int k) {
    DYNAMIC_SHARED(distance, c);
    distance *tile = tile_of(d, tiles, k, k);
    load(c, tile);
    for (int v = 0; v < TILE; ++v) {
        __syncthreads();
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < R; ++s) {
                const int i = threadIdx.y + r * T, j = threadIdx.x + s * T;
                relax_in_place(&c[i * TILE + j], c[i * TILE + v], c[v * TILE + j]);
            }
        }
    }
    __syncthreads();
    load(tile, c);
}

KERNEL void cross(distance *d, int tiles, int k) {
    DYNAMIC_SHARED(distance, c);
    distance *diagonal = c + TILE * TILE;
    const int other = skip_round(blockIdx.x, k);
    const bool in_row = blockIdx.y == 0;
    distance *tile = in_row ? tile_of(d, tiles, k, other) : tile_of(d, tiles, other, k);
    load(c, tile);
    load(diagonal, tile_of(d, tiles, k, k));
    const distance *to = in_row ? diagonal : c;
    const distance *from = in_row ? c : diagonal;
    for (int v = 0; v < TILE; ++v) {
        __syncthreads();
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < R; ++s) {
                const int i = threadIdx.y + r * T, j = threadIdx.x + s * T;
                relax_in_place(&c[i * TILE + j], to[i * TILE + v], from[v * TILE + j]);
            }
        }
    }
    __syncthreads();
    load(tile, c);
}

KERNEL void __launch_bounds__(T * T) others(distance *d, int tiles, int k) {
    DYNAMIC_SHARED(distance, to);
    distance *from = to + TILE * TILE;
    const int i = skip_round(blockIdx.y, k), j = skip_round(blockIdx.x, k);
    load(to, tile_of(d, tiles, i, k));
    load(from, tile_of(d, tiles, k, j));
    distance *tile = tile_of(d, tiles, i, j);
    distance c[R][R], a[R], b[R];
    for (int r = 0; r < R; ++r) {
        for (int s = 0; s < R; ++s) {
            c[r][s] = tile[(threadIdx.y + r * T) * TILE + threadIdx.x + s * T];
        }
    }
    __syncthreads();
#pragma unroll 8
    for (int v = 0; v < TILE; ++v) {
        for (int r = 0; r < R; ++r) {
            a[r] = to[(threadIdx.y + r * T) * TILE + v];
            b[r] = from[v * TILE + threadIdx.x + r * T];
        }
        for (int r = 0; r < R; ++r) {
            for (int s = 0; s < R; ++s) {
                c[r][s] = relax(c[r][s], a[r], b[s]);
            }
        }
    }
    for (int r = 0; r < R; ++r) {
        for (int s = 0; s < R; ++s) {
            tile[(threadIdx.y + r * T) * TILE + threadIdx.x + s * T] = c[r][s];
        }
    }
}
