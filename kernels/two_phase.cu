// The two-phase algorithm of Gaioso et al. (2013), section V: two kernels a round instead of three, 32 x 32 tiles, 32 x 32
// threads a block, one element each.
//
// Phase 1 is run by as many blocks as the device holds at once. No block waits for the one that closes the round's
// independent tile: each closes it for itself, and one of them stores it. d is row-major with rows of `pitch` floats.
//
// The host may define:
//
//   TILE_BITS  the tile size's logarithm, of other tiles than 32 x 32
//   ROLLED     the tile size is a parameter, and rows and columns come from division and modulus by it; no loop is unrolled, nor
//              is it known that a thread has one element: as `katz_kider_1024.cu`

#include "repro.cuh"

#ifndef TILE_BITS
#define TILE_BITS 5
#endif
#define THREADS (1 << 2 * TILE_BITS)
#ifdef ROLLED
#define TILE tile
#define QUOTIENT(e) ((int)(e) / tile)
#define REMAINDER(e) ((int)(e) % tile)
#define LOOP _Pragma("unroll 1")
#define TILE_PARAMETER , int tile
#define TILE_ARGUMENT , tile
#else
#define TILE (1 << TILE_BITS)
#define QUOTIENT(e) ((int)((e) >> TILE_BITS))
#define REMAINDER(e) ((int)((e) & (TILE - 1)))
#define LOOP _Pragma("unroll")
#define TILE_PARAMETER
#define TILE_ARGUMENT
#endif

static __device__ __forceinline__ float *own_element(float *d, int tile_row, int tile_column, int pitch TILE_PARAMETER) {
    const int row = tile_row * TILE + QUOTIENT(threadIdx.x);
    return d + (size_t)row * pitch + tile_column * TILE + (unsigned)REMAINDER(threadIdx.x);
}

/// Relaxes the tile `c` with k outermost; `to` and `from` are it or the closed independent tile. Begins with a barrier.
static __device__ __forceinline__ void close_tile(float *c, const float *to, const float *from TILE_PARAMETER) {
    LOOP for (int k = 0; k < TILE; ++k) {
        __syncthreads();
        // Once, which is not known where the tile size is not.
        LOOP for (unsigned own = 0, e = threadIdx.x; own < TILE * TILE / THREADS; ++own, e += THREADS) {
            relax_in_place(&c[e], to[QUOTIENT(e) * TILE + k], from[k * TILE + REMAINDER(e)]);
        }
    }
}

/// Phase 1: the independent tile, then this block's share of the round's row, then of its column.
///
/// The block that stores the closed tile may be early: others then close it from entries that are closed already, which gives
/// the same, since closing a closed tile changes nothing and every entry is the length of a walk all along.
KERNEL void __launch_bounds__(THREADS) phase_one(float *d, int pitch, int tiles, int round TILE_PARAMETER) {
    __shared__ float independent[THREADS];
    __shared__ float c[THREADS];
    float *own = own_element(d, round, round, pitch TILE_ARGUMENT);
    independent[threadIdx.x] = *own;
    close_tile(independent, independent, independent TILE_ARGUMENT);
    // A different block in every round, as in the paper.
    if (blockIdx.x == round % gridDim.x) {
        lower_while_read(own, independent[threadIdx.x]);
    }
    _Pragma("unroll 1") for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, round, skip_round(part, round), pitch TILE_ARGUMENT);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, independent, c TILE_ARGUMENT);
        *own = c[threadIdx.x];
    }
    _Pragma("unroll 1") for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, skip_round(part, round), round, pitch TILE_ARGUMENT);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, c, independent TILE_ARGUMENT);
        *own = c[threadIdx.x];
    }
}

/// Phase 2: all other tiles, one block a tile, the tiles of the round's row and column in shared memory.
KERNEL void __launch_bounds__(THREADS) phase_two(float *d, int pitch, int round TILE_PARAMETER) {
    __shared__ float to[THREADS];
    __shared__ float from[THREADS];
    const int row = skip_round(blockIdx.y, round);
    const int column = skip_round(blockIdx.x, round);
    float *own = own_element(d, row, column, pitch TILE_ARGUMENT);
    to[threadIdx.x] = *own_element(d, row, round, pitch TILE_ARGUMENT);
    from[threadIdx.x] = *own_element(d, round, column, pitch TILE_ARGUMENT);
    float c = *own;
    __syncthreads();
    const int i = QUOTIENT(threadIdx.x);
    const int j = REMAINDER(threadIdx.x);
    LOOP for (int k = 0; k < TILE; ++k) {
        c = relax(c, to[i * TILE + k], from[k * TILE + j]);
    }
    *own = c;
}
