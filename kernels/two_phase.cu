// The two-phase algorithm of Gaioso et al. (2013), section V: two kernels a round instead of three, 32 x 32 tiles, 32 x 32
// threads a block, one element each.
//
// Phase 1 is run by as many blocks as the device holds at once. No block waits for the one that closes the round's
// independent tile: each closes it for itself, and one of them stores it. d is row-major with rows of `pitch` floats.

#include "repro.cuh"

#define TILE 32
#define THREADS (TILE * TILE)

static __device__ __forceinline__ float *own_element(float *d, int tile_row, int tile_column, int pitch) {
    const int row = tile_row * TILE + threadIdx.x / TILE;
    return d + (size_t)row * pitch + tile_column * TILE + threadIdx.x % TILE;
}

/// Relaxes the tile `c` with k outermost; `to` and `from` are it or the closed independent tile. Begins with a barrier.
static __device__ __forceinline__ void close_tile(float *c, const float *to, const float *from) {
    const int i = threadIdx.x / TILE;
    const int j = threadIdx.x % TILE;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        relax_in_place(&c[threadIdx.x], to[i * TILE + k], from[k * TILE + j]);
    }
}

/// Phase 1: the independent tile, then this block's share of the round's row, then of its column.
///
/// The block that stores the closed tile may be early: others then close it from entries that are closed already, which gives
/// the same, since closing a closed tile changes nothing and every entry is the length of a walk all along.
KERNEL void __launch_bounds__(THREADS) phase_one(float *d, int pitch, int tiles, int round) {
    __shared__ float independent[THREADS];
    __shared__ float c[THREADS];
    float *own = own_element(d, round, round, pitch);
    independent[threadIdx.x] = *own;
    close_tile(independent, independent, independent);
    // A different block in every round, as in the paper.
    if (blockIdx.x == round % gridDim.x) {
        lower_while_read(own, independent[threadIdx.x]);
    }
    for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, round, skip_round(part, round), pitch);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, independent, c);
        *own = c[threadIdx.x];
    }
    for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, skip_round(part, round), round, pitch);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, c, independent);
        *own = c[threadIdx.x];
    }
}

/// Phase 2: all other tiles, one block a tile, the tiles of the round's row and column in shared memory.
KERNEL void __launch_bounds__(THREADS) phase_two(float *d, int pitch, int round) {
    __shared__ float to[THREADS];
    __shared__ float from[THREADS];
    const int row = skip_round(blockIdx.y, round);
    const int column = skip_round(blockIdx.x, round);
    float *own = own_element(d, row, column, pitch);
    to[threadIdx.x] = *own_element(d, row, round, pitch);
    from[threadIdx.x] = *own_element(d, round, column, pitch);
    float c = *own;
    __syncthreads();
    const int i = threadIdx.x / TILE;
    const int j = threadIdx.x % TILE;
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
        c = relax(c, to[i * TILE + k], from[k * TILE + j]);
    }
    *own = c;
}
