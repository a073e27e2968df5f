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
//
// and TILE_PLACE and ONE_ELEMENT of the second phase, as `rest_tile.cuh` explains them.

#ifndef TILE_BITS
#define TILE_BITS 5
#endif
#define THREADS (1 << 2 * TILE_BITS)
#define MOST_ELEMENTS THREADS
#ifdef ROLLED
#define TILE tile
#define QUOTIENT(e) ((int)(e) / tile)
#define REMAINDER(e) ((int)(e) % tile)
#define LOOP _Pragma("unroll 1")
#else
#define TILE (1 << TILE_BITS)
#define QUOTIENT(e) ((int)((e) >> TILE_BITS))
#define REMAINDER(e) ((int)((e) & (TILE - 1)))
#define LOOP _Pragma("unroll")
#endif

#include "rest_tile.cuh"

/// Relaxes the tile `c` with k outermost; `to` and `from` are it or the closed independent tile. Begins with a barrier.
static __device__ __forceinline__ void close_tile(float *c, const float *to, const float *from, int tile) {
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
KERNEL void __launch_bounds__(THREADS) phase_one(float *d, int pitch, int tiles, int round, int tile) {
    __shared__ float independent[THREADS];
    __shared__ float c[THREADS];
    float *own = own_element(d, round, round, pitch, tile);
    independent[threadIdx.x] = *own;
    close_tile(independent, independent, independent, tile);
    // A different block in every round, as in the paper.
    if (blockIdx.x == round % gridDim.x) {
        lower_while_read(own, independent[threadIdx.x]);
    }
    _Pragma("unroll 1") for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, round, skip_round(part, round), pitch, tile);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, independent, c, tile);
        *own = c[threadIdx.x];
    }
    _Pragma("unroll 1") for (int part = blockIdx.x; part < tiles - 1; part += gridDim.x) {
        own = own_element(d, skip_round(part, round), round, pitch, tile);
        __syncthreads();
        c[threadIdx.x] = *own;
        close_tile(c, c, independent, tile);
        *own = c[threadIdx.x];
    }
}

/// Phase 2: all other tiles, one block a tile, the tiles of the round's row and column in shared memory.
KERNEL void __launch_bounds__(THREADS) phase_two(float *d, int pitch, int round, int tile) {
    relax_rest_tile(d, pitch, round, tile);
}
